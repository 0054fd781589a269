/** Decodes entities in scripts and in structured data, where the parser does not: "&#105;nfo". */
export function withoutEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (whole, hex?: string, decimal?: string) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : whole;
    })
    .replace(/&commat;/g, "@")
    .replace(/&period;/g, ".")
    .replace(/&nbsp;/g, " ")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}
