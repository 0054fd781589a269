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

let latest = { text: "", views: { code: "", comments: "" } };

/** Remembers the latest text, because each rule for a file asks for the same views of it. */
export function scanSource(text: string): SourceViews {
  if (latest.text !== text) latest = { text, views: scan(text) };
  return latest.views;
}

function scan(text: string): SourceViews {
  let code = "";
  let comments = "";
  let at = 0;

  const put = (into: "code" | "comments" | "neither", end: number) => {
    const part = text.slice(at, end);
    const blank = part.replaceAll(/[^\n]/g, " ");
    code += into === "code" ? part : blank;
    comments += into === "comments" ? part : blank;
    at += part.length;
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
      else if (char === "/" && opensPattern(code)) readPattern();
      else {
        if (char === "{") depth += 1;
        if (char === "}" && isHole && depth === 0) return;
        if (char === "}") depth -= 1;
        put("code", endOfPlainCode(text, at + 1));
      }
    }
  };

  const readQuoted = (quote: string) => {
    put("code", at + 1);
    let end = at;
    while (end < text.length && text.charAt(end) !== quote && text.charAt(end) !== "\n") {
      end += text.charAt(end) === "\\" ? 2 : 1;
    }
    put("neither", end);
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
  return { code, comments };
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

/** Where the next character is that may open or close something. */
function endOfPlainCode(text: string, from: number): number {
  const next = /[/"'`{}]/g;
  next.lastIndex = from;
  return next.exec(text)?.index ?? text.length;
}

const wordsBeforePattern =
  /\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

function opensPattern(codeBefore: string): boolean {
  const before = codeBefore.slice(-200).trimEnd();
  if (before === "" || wordsBeforePattern.test(before)) return true;
  return !/[\w$)\]"'`]$/.test(before);
}
