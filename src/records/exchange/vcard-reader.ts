/**
 * Reads vCard 2.1, 3.0 and 4.0 (RFC 2426, RFC 6350) of address books, phones and CRMs. A card
 * becomes an object with our field names; properties without such a field keep their own names.
 */
export interface CardReader {
  /** Takes a line without its end, and its number. Returns a card that ends in this line. */
  push(line: string, number: number): ReadCard | undefined;
  /** Called at the end of the text. Returns a fault if the last card is incomplete. */
  end(): ReadCard | undefined;
}

export interface ReadCard {
  /** The number of its first line. */
  readonly line: number;
  readonly value?: Readonly<Record<string, unknown>>;
  readonly fault?: string;
}

/** Longer than any real card, not counting pictures. */
const cardLengthMax = 2 ** 20;

export function createCardReader(): CardReader {
  let lines: string[] | undefined;
  let first = 0;
  let length = 0;
  const closed = (): ReadCard => {
    const card = lines!;
    lines = undefined;
    if (length > cardLengthMax) return { line: first, fault: `it is longer than ${cardLengthMax} characters` }; // prettier-ignore
    return {
      line: first,
      value: objectOf(card.map(propertyOf).filter((one) => one !== undefined)),
    };
  };
  return {
    push(line, number) {
      if (/^BEGIN:VCARD\s*$/i.test(line)) {
        const cut = lines ? { line: first, fault: "it has no END:VCARD" } : undefined;
        [lines, first, length] = [[], number, 0];
        return cut;
      }
      if (!lines) return line.trim() === "" ? undefined : { line: number, fault: "it is outside of a card" }; // prettier-ignore
      if (/^END:VCARD\s*$/i.test(line)) return closed();
      length += line.length;
      if (length > cardLengthMax) return undefined;
      // A line that begins with a blank continues the previous one; so does the line after
      // quoted-printable text that ends with =.
      const last = lines.at(-1) ?? "";
      if (/^[^:]*QUOTED-PRINTABLE[^:]*:.*=$/is.test(last))
        lines[lines.length - 1] = last.slice(0, -1) + line; // prettier-ignore
      else if (/^[ \t]/.test(line) && lines.length > 0) lines[lines.length - 1] += line.slice(1);
      else lines.push(line);
      return undefined;
    },
    end: () =>
      lines ? { line: first, fault: "it has no END:VCARD: is the file cut?" } : undefined,
  };
}

interface Property {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

/** `item1.EMAIL;TYPE=work:info@example.org`; a quoted parameter may contain a colon. */
function propertyOf(line: string): Property | undefined {
  const found = /^(?:[\w-]+\.)?([\w-]+)((?:;(?:"[^"]*"|[^";:])*)*):(.*)$/s.exec(line);
  if (!found) return undefined;
  const [, name = "", parameters = "", raw = ""] = found;
  const value = /QUOTED-PRINTABLE/i.test(parameters) ? unquoted(raw) : raw;
  return { name: name.toUpperCase(), parameters, value: value.trim() };
}

function unquoted(text: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const hex = /^=([0-9a-f]{2})/i.exec(text.slice(at, at + 3))?.[1];
    if (hex === undefined) bytes.push(...Buffer.from(text[at]!));
    else {
      bytes.push(Number.parseInt(hex, 16));
      at += 2;
    }
  }
  return Buffer.from(bytes).toString();
}

const plain = (text: string): string =>
  text.replace(/\\([\\,;:nN])/g, (_, one: string) => (/n/i.test(one) ? "\n" : one));

/** Splits at a character that is not escaped by a backslash. */
function cut(text: string, at: "," | ";"): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (let index = 0; index < text.length; index += 1) {
    const one = text[index]!;
    if (one === "\\") {
      index += 1;
      part += one + (text[index] ?? "");
    } else if (one === at) {
      parts.push(part);
      part = "";
    } else part += one;
  }
  return [...parts, part].map((whole) => plain(whole).trim());
}

/** Properties about the card itself, or not about the company. */
const ignored = new Set(["VERSION", "PRODID", "REV", "UID", "KIND", "N", "SOURCE", "CLIENTPIDMAP"]);
const pictures = new Set(["PHOTO", "LOGO", "SOUND", "KEY"]);
const addressParts = ["", "", "street", "city", "state", "zip", "country"];

function objectOf(properties: readonly Property[]): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const once = (name: string, value: string) => {
    if (value !== "") values[name] ??= value;
  };
  const add = (name: string, value: string) => {
    if (value !== "") values[name] = [...((values[name] as string[] | undefined) ?? []), value];
  };
  const organization = properties.find(({ name }) => name === "ORG");
  const company = organization ? (cut(organization.value, ";")[0] ?? "") : "";
  once("name", company);
  for (const { name, value } of properties) {
    if (ignored.has(name) || name === "ORG") continue;
    if (name === "FN")
      once(company === "" || plain(value) === company ? "name" : "FN", plain(value));
    else if (name === "EMAIL") add("email", plain(value).replace(/^mailto:/i, ""));
    else if (name === "TEL") add("phone", plain(value).replace(/^tel:/i, "").replace(/;.*$/s, ""));
    else if (name === "URL") once("website", plain(value));
    else if (name === "NOTE") add("note", plain(value));
    else if (name === "CATEGORIES") for (const one of cut(value, ",")) add("tag", one);
    else if (name === "ADR") {
      for (const [at, part] of cut(value, ";").entries()) once(addressParts[at] || "ADR", part);
    } else if (name === "GEO") {
      const [, latitude = "", longitude = ""] = /^(?:geo:)?(-?[\d.]+)[,;](-?[\d.]+)/i.exec(plain(value)) ?? []; // prettier-ignore
      once("latitude", latitude);
      once("longitude", longitude);
    } else if (!pictures.has(name)) once(name, plain(value));
  }
  return values;
}
