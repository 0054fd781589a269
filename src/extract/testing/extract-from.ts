import { extractPage, type PageInput } from "../extract-page.ts";
import type { PageFacts } from "../page-facts.ts";

export const siteUrl = "https://www.tischlerei-brandt.de/kontakt";

/** The facts of a small company's page, with all decodings on. */
export const extractFrom = (html: string, more: Partial<PageInput> = {}): PageFacts =>
  extractPage({ html, url: siteUrl, deobfuscate: "all", ...more });

export const emailsIn = (html: string, more: Partial<PageInput> = {}): readonly string[] =>
  extractFrom(html, more)
    .emails.map(({ value }) => value)
    .sort();

export const phonesIn = (html: string, more: Partial<PageInput> = {}): readonly string[] =>
  extractFrom(html, more)
    .phones.map(({ value }) => value)
    .sort();

/** Encodes an address as Cloudflare does, for examples. */
export function cloudflareHex(text: string, key = 0x5a): string {
  const bytes = [key, ...Buffer.from(text, "utf8").map((byte) => byte ^ key)];
  return Buffer.from(bytes).toString("hex");
}
