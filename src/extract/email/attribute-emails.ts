import { backwards } from "../text/characters.ts";
import { domainNames, localNames, namesAddress, suffixNames } from "./attribute-names.ts";
import { fromBase64, rot13, unshifted } from "./ciphers.ts";
import { findAddresses } from "./find-addresses.ts";
import type { FoundEmail } from "./found.ts";
import { decoded, mailtoText } from "./mailto.ts";
import { findWordForms } from "./word-forms.ts";

type Attributes = Readonly<Record<string, string>>;
type Part = Pick<FoundEmail, "local" | "domain">;

/** Cloudflare's two forms: the element that replaces the text, and the link around it. */
export function cloudflareAddresses({
  "data-cfemail": attribute,
  href = "",
}: Attributes): readonly Part[] {
  const hash = attribute ?? cloudflareHash(href);
  const text = hash === undefined ? undefined : cloudflareText(hash);
  if (text === undefined) return [];
  return findAddresses(mailtoText(`mailto:${text}`) ?? text);
}

/** Addresses in data attributes, whole or in parts, plain or encoded. */
export function dataAddresses(attributes: Attributes): readonly Part[] {
  const names = Object.keys(attributes).filter((name) => name.startsWith("data-"));
  if (names.length === 0) return [];
  const found: Part[] = names.length > 1 ? [...inParts(attributes)] : [];
  for (const name of names) {
    const value = attributes[name]!;
    if (value.length < 5 || value.length > 400 || name === "data-cfemail") continue;
    if (/mailto-token/.test(name)) {
      const plain = unshifted(value);
      if (plain) found.push(...unwrapped(mailtoText(plain) ?? ""));
    } else if (namesAddress.test(name)) {
      found.push(...unwrapped(value));
    }
  }
  return found;
}

/** The plain value if it contains an address, else the results of the usual decodings. */
function unwrapped(value: string): readonly Part[] {
  const plain = decoded(value);
  const forms = [plain, fromBase64(plain), rot13(plain), backwards(plain)];
  for (const [index, form] of forms.entries()) {
    if (form === undefined) continue;
    const text = mailtoText(form) ?? form;
    const found = [...findAddresses(text), ...findWordForms(text)].filter(
      // A wrong decoding gives nonsense that may still end like a domain.
      ({ domain }) => index < 2 || /\.(?:com|net|org|info|eu|biz|[a-z]{2})$/i.test(domain),
    );
    if (found.length > 0) return found;
  }
  return [];
}

function inParts(attributes: Attributes): readonly Part[] {
  const local = firstOf(attributes, localNames);
  const domain = firstOf(attributes, domainNames);
  if (local === undefined || domain === undefined) return [];
  const suffix = firstOf(attributes, suffixNames)?.replace(/^\./, "");
  const host =
    suffix === undefined || domain.endsWith(`.${suffix}`) ? domain : `${domain}.${suffix}`;
  return [
    { local, domain: host.replace(/^@/, "") },
    { local: backwards(local), domain: backwards(host) },
  ].slice(0, /\.[a-z]{2,}$/i.test(host) ? 1 : 2);
}

function firstOf(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes[name]?.trim();
    if (value !== undefined && value !== "" && value.length < 100) return value;
  }
  return undefined;
}

/** Cloudflare's protection: the first byte is the key that all others were XORed with. */
function cloudflareText(hex: string): string | undefined {
  if (hex.length < 8 || hex.length > 600 || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return undefined;
  const bytes = Buffer.from(hex, "hex");
  const key = bytes[0]!;
  return Buffer.from(bytes.subarray(1).map((byte) => byte ^ key)).toString("utf8");
}

function cloudflareHash(href: string): string | undefined {
  return /\/cdn-cgi\/l\/email-protection#([0-9a-f]{8,600})$/i.exec(href.trim())?.[1];
}
