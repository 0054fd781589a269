/**
 * Splits TypeScript text into what is code and what is commentary, without a parser. Every view has
 * the length and the line breaks of the source, so an offset means the same place in all of them:
 * - `code`: comments, and what is inside strings, templates and regular expressions, are spaces
 *   (their delimiters stay, and so does the code in a template's holes);
 * - `comments`: everything but the comments is spaces.
 * One guess is made: a slash after `)` or `]` divides, after other punctuation it opens a pattern.
 */
export interface SourceViews {
  readonly code: string;
  readonly comments: string;
}

export type ImportForm = "static" | "type" | "dynamic";

export interface ImportFound {
  readonly specifier: string;
  readonly form: ImportForm;
  readonly line: number;
}

export function scanSource(text: string): SourceViews {
  const code: string[] = [];
  const comments: string[] = [];
  let at = 0;

  const blank = (char: string) => (char === "\n" ? "\n" : " ");
  const put = (into: "code" | "comments" | "neither", end: number) => {
    for (; at < Math.min(end, text.length); at += 1) {
      const char = text.charAt(at);
      code[at] = into === "code" ? char : blank(char);
      comments[at] = into === "comments" ? char : blank(char);
    }
  };

  /** Code until the closing brace of a template's hole, or until the end of the file. */
  const readCode = (isHole: boolean) => {
    let depth = 0;
    while (at < text.length) {
      const char = text.charAt(at);
      if (text.startsWith("//", at)) put("comments", endOf(text, "\n", at));
      else if (text.startsWith("/*", at)) put("comments", endOf(text, "*/", at + 2) + 2);
      else if (char === '"' || char === "'") readQuoted(char);
      else if (char === "`") readTemplate();
      else if (char === "/" && opensPattern(code, at)) readPattern();
      else {
        if (char === "{") depth += 1;
        if (char === "}" && isHole && depth === 0) return;
        if (char === "}") depth -= 1;
        put("code", at + 1);
      }
    }
  };

  const readQuoted = (quote: string) => {
    put("code", at + 1);
    while (at < text.length && text.charAt(at) !== quote && text.charAt(at) !== "\n") {
      put("neither", at + (text.charAt(at) === "\\" ? 2 : 1));
    }
    put("code", at + 1);
  };

  const readTemplate = () => {
    put("code", at + 1);
    while (at < text.length && text.charAt(at) !== "`") {
      if (text.startsWith("${", at)) {
        put("code", at + 2);
        readCode(true);
        put("code", at + 1);
      } else put("neither", at + (text.charAt(at) === "\\" ? 2 : 1));
    }
    put("code", at + 1);
  };

  const readPattern = () => {
    put("code", at + 1);
    let isInClass = false;
    while (at < text.length && text.charAt(at) !== "\n") {
      const char = text.charAt(at);
      if (char === "/" && !isInClass) break;
      if (char === "[") isInClass = true;
      if (char === "]") isInClass = false;
      put("neither", at + (char === "\\" ? 2 : 1));
    }
    put("code", at + 1);
  };

  readCode(false);
  return { code: code.join(""), comments: comments.join("") };
}

/** Every module this source names, whichever way: import, export from, import(), require(). */
export function findImports(text: string): readonly ImportFound[] {
  const { code } = scanSource(text);
  const found: ImportFound[] = [];
  const patterns: readonly [RegExp, ImportForm][] = [
    [/\b(?:import|export)\s+type\b[^;"'`]*?\bfrom\s*["']/g, "type"],
    [/\b(?:import|export)\b(?!\s+type\b)[^;"'`()]*?\bfrom\s*["']/g, "static"],
    [/\bimport\s*["']/g, "static"],
    [/\b(?:import|require)\s*\(\s*["'`]/g, "dynamic"],
  ];
  for (const [pattern, form] of patterns) {
    for (const match of code.matchAll(pattern)) {
      const start = match.index + match[0].length;
      const quote = match[0].at(-1) ?? '"';
      const specifier = text.slice(start, endOf(text, quote, start));
      found.push({ specifier, form, line: lineAt(text, start) });
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found;
}

const wordsBeforePattern =
  /\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

function opensPattern(codeBefore: readonly string[], at: number): boolean {
  const before = codeBefore
    .slice(Math.max(0, at - 200), at)
    .join("")
    .trimEnd();
  if (before === "" || wordsBeforePattern.test(before)) return true;
  return !/[\w$)\]"'`]$/.test(before);
}
