/** Cloudflare's protection: the first byte is the key that all others were XORed with. */
export function cloudflareText(hex: string): string | undefined {
  if (hex.length < 8 || hex.length > 600 || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return undefined;
  const bytes = Buffer.from(hex, "hex");
  const key = bytes[0]!;
  return Buffer.from(bytes.subarray(1).map((byte) => byte ^ key)).toString("utf8");
}

export function cloudflareHash(href: string): string | undefined {
  return /\/cdn-cgi\/l\/email-protection#([0-9a-f]{8,600})$/i.exec(href.trim())?.[1];
}
