import { parsePhoneNumberFromString, isSupportedCountry } from "libphonenumber-js/min";
import { asciiHost, parseUrl } from "../../base/text/parse-url.ts";

/**
 * Normalizes an address: lower case, host in ASCII, without common prefixes; undefined if it is not
 * valid.
 */
export function readEmail(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^(?:mailto|e-?mail|mail)\s*:\s*/i, "")
    .replace(/\?.*$/, "")
    .replace(/^<|>$/g, "")
    .toLowerCase();
  if (!emailShape.test(bare) || bare.length > 254) return undefined;
  const at = bare.lastIndexOf("@") + 1;
  const host = asciiHost(bare.slice(at));
  return host === undefined ? undefined : bare.slice(0, at) + host;
}

/**
 * Does not match everything that RFC 5321 allows, but all addresses in real use. No `/`, because it
 * separates parts of a field name.
 */
const emailShape =
  /^[\p{L}\p{N}!#$%&'*+=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+=?^_`{|}~-]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{N}-]*$/u;

/** Returns E.164. `country` (two letters) is assumed for a number without a country code. */
export function readPhone(text: string, country?: string): string | undefined {
  const region = country?.toUpperCase();
  const known = region !== undefined && isSupportedCountry(region) ? region : undefined;
  const found = parsePhoneNumberFromString(text.replace(/^tel:/i, "").trim(), known);
  return found?.isPossible() ? found.number : undefined;
}

/**
 * `https://www.Example.org:80/x` is example.org; undefined for text without a dot and for an IP
 * address.
 */
export function readDomain(text: string): string | undefined {
  const url = readUrl(text);
  if (url === undefined) return undefined;
  const host = new URL(url).hostname.replace(/^www\./, "").replace(/\.$/, "");
  return host.includes(".") && !/^[\d.]+$/.test(host) ? host : undefined;
}

/** Adds `https://` if there is no scheme; undefined if it is not a web address. */
export function readUrl(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || /\s/.test(trimmed)) return undefined;
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const url = parseUrl(full);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** `4.5`, `1,234`, `4,5`: a comma followed by other than three digits is a decimal point. */
export function readNumber(text: string): number | undefined {
  const bare = text.trim().replace(/\s/g, "");
  const point = /^[+-]?\d+,\d{1,2}$|^[+-]?\d+,\d{4,}$/.test(bare)
    ? bare.replace(",", ".")
    : bare.replace(/,(?=\d{3}(?:\D|$))/g, "");
  return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(point) ? Number(point) : undefined;
}

/** Returns ISO 8601 in UTC; a date alone means its first moment. */
export function readMoment(text: string): string | undefined {
  const bare = text.trim();
  if (
    !/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(
      bare,
    )
  )
    return undefined;
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(bare.slice(10));
  const atMs = Date.parse(
    bare.length > 10 && !hasZone ? `${bare.replace(" ", "T")}Z` : bare.replace(" ", "T"),
  );
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
