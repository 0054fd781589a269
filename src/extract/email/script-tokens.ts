/**
 * The tokens of a script: strings, names, numbers, signs. Comments and regular expressions are
 * skipped.
 */
export interface Token {
  readonly kind: "string" | "name" | "number" | "sign";
  readonly text: string;
}

const tokensMax = 60_000;
const stringMax = 20_000;

export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length && tokens.length < tokensMax) {
    const sign = source[at]!;
    if (sign <= " ") at += 1;
    else if (sign === "/" && source[at + 1] === "/") at = lineEnd(source, at);
    else if (sign === "/" && source[at + 1] === "*") at = after(source, "*/", at + 2);
    else if (sign === "/" && isPattern(tokens.at(-1))) {
      const end = patternEnd(source, at);
      tokens.push({ kind: "name", text: source.slice(at, Math.min(end, at + 200)) });
      at = end;
    } else if (sign === '"' || sign === "'" || sign === "`") {
      const end = stringEnd(source, at);
      const text = unescaped(source.slice(at + 1, Math.min(end - 1, at + stringMax)));
      tokens.push({ kind: "string", text });
      at = end;
    } else if (isNameSign(sign)) {
      const start = at;
      while (at < source.length && isNameSign(source[at]!)) at += 1;
      const text = source.slice(start, Math.min(at, start + 100));
      tokens.push({ kind: /^\d/.test(text) ? "number" : "name", text });
    } else {
      tokens.push({ kind: "sign", text: sign });
      at += 1;
    }
  }
  return tokens;
}

const isNameSign = (sign: string): boolean =>
  (sign >= "a" && sign <= "z") ||
  (sign >= "A" && sign <= "Z") ||
  (sign >= "0" && sign <= "9") ||
  sign === "_" ||
  sign === "$";

/** A slash begins a regular expression where a value cannot end. */
const isPattern = (last: Token | undefined): boolean =>
  !last ||
  (last.kind === "sign" && last.text !== ")" && last.text !== "]" && last.text !== "}") ||
  last.text === "return";

function patternEnd(source: string, from: number): number {
  let isClass = false;
  for (let at = from + 1; at < source.length && at < from + 1_000; at++) {
    const sign = source[at]!;
    if (sign === "\\") at += 1;
    else if (sign === "\n") return at;
    else if (sign === "[") isClass = true;
    else if (sign === "]") isClass = false;
    else if (sign === "/" && !isClass) {
      let end = at + 1;
      while (end < source.length && end < at + 8 && /[a-z]/.test(source[end]!)) end += 1;
      return end;
    }
  }
  return from + 1;
}

function stringEnd(source: string, from: number): number {
  const quote = source[from]!;
  for (let at = from + 1; at < source.length; at++) {
    const sign = source[at]!;
    if (sign === "\\") at += 1;
    else if (sign === quote) return at + 1;
    else if (sign === "\n" && quote !== "`") return at + 1;
  }
  return source.length + 1;
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end === -1 ? source.length : end;
}

function after(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from);
  return at === -1 ? source.length : at + mark.length;
}

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|([0-7]{1,3})|([\s\S]))/gi,
    (_, two?: string, four?: string, any?: string, octal?: string, sign?: string) => {
      const hex = two ?? four ?? any;
      if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8));
      return sign === "n" || sign === "r" || sign === "t" ? " " : sign === "\n" ? "" : (sign ?? "");
    },
  );
}

const fromCode = (code: number): string => (code < 0x110000 ? String.fromCodePoint(code) : "");
