/**
 * Scans the elements of an XML text as it arrives. It holds one tag and one element's text, each
 * cut at a limit: no tree, no DTD, and only XML's five entities and numeric ones. So neither the
 * size of a file nor expanding entities can use up memory.
 */
export interface XmlHandler {
  /** Names are local, in lower case; `prefix` is the part before the colon. */
  open(name: string, prefix: string, tag: string): void;
  /** `text` is the element's own text, without that of its children, cut at `textCharsMax`. */
  close(name: string, prefix: string, text: string): void;
}

export interface XmlScanner {
  /** Takes the next piece of the text; it may end anywhere. */
  write(piece: string): void;
}

/** Longer ones are cut: no URL is that long. */
export const textCharsMax = 4_096;
const tagCharsMax = 8_192;

/** What ends each skipped part, and what is kept of it. */
const ends = { comment: "-->", cdata: "]]>", instruction: "?>", declaration: ">" } as const;
type State = "text" | "tag" | keyof typeof ends;

export function createXmlScanner(handler: XmlHandler): XmlScanner {
  let state: State = "text";
  let text = ""; // of the innermost open element
  let tag = "";
  let tail = ""; // the end of the last piece, because an end mark may be split over two pieces

  const keep = (more: string) => {
    if (text.length < textCharsMax) text += more.slice(0, textCharsMax - text.length);
  };

  function endTag(): void {
    const isClosing = tag.startsWith("/");
    const { name, prefix } = nameOf(isClosing ? tag.slice(1) : tag);
    if (isClosing) {
      handler.close(name, prefix, decodeEntities(text).trim());
    } else {
      handler.open(name, prefix, tag);
      if (tag.endsWith("/")) handler.close(name, prefix, "");
    }
    text = "";
  }

  /** Returns the position to continue at. */
  function step(piece: string, at: number): number {
    if (state === "text") {
      const next = piece.indexOf("<", at);
      keep(next === -1 ? piece.slice(at) : piece.slice(at, next));
      if (next === -1) return piece.length;
      state = "tag";
      tag = "";
      return next + 1;
    }
    if (state === "tag") {
      // Eight more characters show what a "<" begins.
      const special = specialOf(tag + piece.slice(at, at + 8));
      if (special === "unclear") {
        tag += piece.slice(at);
        return piece.length;
      }
      if (special) {
        const from = at + special.start.length - tag.length;
        state = special.state;
        tag = "";
        tail = "";
        return from;
      }
      const next = piece.indexOf(">", at);
      const part = piece.slice(at, next === -1 ? undefined : next);
      if (tag.length < tagCharsMax) tag += part.slice(0, tagCharsMax - tag.length);
      if (next === -1) return piece.length;
      state = "text";
      endTag();
      return next + 1;
    }
    return skip(piece, at, state);
  }

  function skip(piece: string, at: number, part: keyof typeof ends): number {
    const end = ends[part];
    const whole = tail + piece.slice(at);
    const found = whole.indexOf(end);
    const isKept = part === "cdata";
    if (found !== -1) {
      if (isKept) keep(escapeText(whole.slice(0, found)));
      const from = at + found + end.length - tail.length;
      tail = "";
      state = "text";
      return from;
    }
    const safe = Math.max(0, whole.length - end.length + 1);
    if (isKept) keep(escapeText(whole.slice(0, safe)));
    tail = whole.slice(safe);
    return piece.length;
  }

  return {
    write(piece) {
      for (let at = 0; at < piece.length;) at = step(piece, at);
    },
  };
}

const specials = [
  { start: "!--", state: "comment" },
  { start: "![CDATA[", state: "cdata" },
  { start: "?", state: "instruction" },
  { start: "!", state: "declaration" },
] as const;

function specialOf(start: string): (typeof specials)[number] | "unclear" | undefined {
  if (start === "") return "unclear";
  if (!start.startsWith("!") && !start.startsWith("?")) return undefined;
  const isUnclear = specials.some(
    (one) => one.start.length > start.length && one.start.startsWith(start),
  );
  return isUnclear ? "unclear" : specials.find((one) => start.startsWith(one.start));
}

function nameOf(tag: string): { readonly name: string; readonly prefix: string } {
  const whole = /^[^\s/>]{0,100}/.exec(tag)![0].toLowerCase();
  const colon = whole.indexOf(":");
  return { name: whole.slice(colon + 1), prefix: colon === -1 ? "" : whole.slice(0, colon) };
}

/** The value of an attribute in a tag's text. The length of a tag limits the search. */
export function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`[\\s]${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(tag);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : decodeEntities(value);
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name) return named[name.toLowerCase()]!;
      const code = decimal ? Number(decimal) : parseInt(hex!, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** CDATA is not decoded, the text around it is. */
const escapeText = (text: string): string => text.replaceAll("&", "&amp;");
