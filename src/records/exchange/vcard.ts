/** One property of a card: `EMAIL;TYPE=work:info@example.org` has name, parameters, value. */
export interface CardLine {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Text is escaped; lists are separated by commas, structured values by semicolons. */
  readonly value: string | CardList | CardParts | CardUri;
}

export interface CardList {
  readonly list: readonly string[];
}
/** In the order of RFC 6350: an address is box, extension, street, city, state, zip, country. */
export interface CardParts {
  readonly parts: readonly (string | undefined)[];
}
/** Not escaped, except for characters that would end the line. */
export interface CardUri {
  readonly uri: string;
}

/**
 * A vCard 4.0 (RFC 6350) for address books and phones. Lines are folded at 75 bytes, and never
 * inside a character. Properties without a value are left out.
 */
export function vcard(lines: readonly CardLine[]): string {
  const shown = lines.filter(({ value }) => textOf(value) !== "");
  const body = shown.map(
    ({ name, parameters, value }) => `${name}${parametersOf(parameters)}:${textOf(value)}`,
  );
  return ["BEGIN:VCARD", "VERSION:4.0", ...body, "END:VCARD"]
    .map((line) => `${folded(line)}\r\n`)
    .join("");
}

function textOf(value: CardLine["value"]): string {
  if (typeof value === "string") return escaped(value);
  if ("list" in value) return value.list.map(escaped).join(",");
  if ("uri" in value) return value.uri.replace(/[\r\n]/g, "");
  const parts = value.parts.map((part) => escaped(part ?? ""));
  return parts.every((part) => part === "") ? "" : parts.join(";");
}

/** RFC 6350 §3.4. Control characters other than line breaks are removed. */
const escaped = (text: string): string =>
  text
    .replace(/[\\,;]/g, "\\$&")
    .replace(/\r\n|\r|\n/g, "\\n")
    // oxlint-disable-next-line no-control-regex -- control characters are what it is for
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");

/** A quoted parameter cannot contain a quote: RFC 6868 defines a replacement. */
const parametersOf = (parameters: CardLine["parameters"] = {}): string =>
  Object.entries(parameters)
    .map(([name, text]) => {
      const safe = text.replaceAll("^", "^^").replaceAll('"', "^'").replace(/\s+/g, " ");
      return `;${name}=${/^[\w-]+$/.test(safe) ? safe : `"${safe}"`}`;
    })
    .join("");

const lineBytesMax = 75;

function folded(line: string): string {
  if (Buffer.byteLength(line) <= lineBytesMax) return line;
  const lines: string[] = [];
  let current = "";
  let bytes = 0;
  for (const char of line) {
    const size = Buffer.byteLength(char);
    if (bytes + size > lineBytesMax) {
      lines.push(current);
      current = " "; // marks a continuation line, and counts
      bytes = 1;
    }
    current += char;
    bytes += size;
  }
  return [...lines, current].join("\r\n");
}
