/**
 * Normalises the paths of robots.txt and of URLs, so that they can be compared character by
 * character:
 * - bytes outside ASCII are percent-encoded, and hex digits are upper-case;
 * - needless encodings (of letters, digits, - . _ ~) are decoded;
 * - in a pattern `*` matches any text and a final `$` the end. As plain characters both are written
 *   %2A and %24, in patterns and in the path of a URL.
 */

/** The pattern of a rule, from one character per byte. "" for a rule that matches nothing. */
export function patternOf(value: string): string {
  const isAnchored = value.endsWith("$");
  const body = isAnchored ? value.slice(0, -1) : value;
  const path = normalise(body.replaceAll("$", "%24"));
  if (path === "") return "";
  const joined = path.replaceAll(/\*{2,}/g, "*");
  return (
    (joined.startsWith("/") || joined.startsWith("*") ? joined : `/${joined}`) +
    (isAnchored ? "$" : "")
  );
}

/** The path of a URL, to match rules against. */
export function robotsPathOf(url: URL): string {
  return normalise((url.pathname + url.search).replaceAll("*", "%2A").replaceAll("$", "%24"));
}

function normalise(text: string): string {
  let result = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const encoded = code === 0x25 ? hexByte(text, at + 1) : undefined;
    if (encoded !== undefined) {
      result += isUnreserved(encoded) ? String.fromCharCode(encoded) : percent(encoded);
      at += 2;
    } else result += code > 0x7e || code < 0x21 ? percent(code & 0xff) : text[at]!;
  }
  return result;
}

function hexByte(text: string, at: number): number | undefined {
  const high = hexDigit(text.charCodeAt(at));
  const low = hexDigit(text.charCodeAt(at + 1));
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;

const isUnreserved = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x5f ||
  code === 0x7e;
