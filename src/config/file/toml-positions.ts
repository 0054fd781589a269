import { parse, TomlError } from "smol-toml";

/**
 * Finds the position of each key in a TOML text, which the parser does not report. It reads only
 * text that was already parsed, so it does not validate anything. If it meets something it cannot
 * read, it stops: later keys are then found at their nearest known table.
 */
export interface TomlPositions {
  /** Both count from 1. Undefined if neither the key nor a table around it is in the text. */
  find(path: readonly string[]): TomlPosition | undefined;
}

export interface TomlPosition {
  readonly line: number;
  readonly column: number;
}

export function locateTomlKeys(text: string): TomlPositions {
  const offsets = new Map<string, number>();
  scan(text, (path, offset) => {
    // A name has the position of its first occurrence; `a.b.c = 1` also gives positions to `a` and
    // `a.b`.
    for (let depth = 1; depth <= path.length; depth++) {
      const id = toId(path.slice(0, depth));
      if (!offsets.has(id)) offsets.set(id, offset);
    }
  });
  return {
    find(path) {
      for (let depth = path.length; depth > 0; depth--) {
        const offset = offsets.get(toId(path.slice(0, depth)));
        if (offset !== undefined) return toPosition(text, offset);
      }
      return undefined;
    },
  };
}

const toId = (path: readonly string[]) => JSON.stringify(path);

function toPosition(text: string, offset: number): TomlPosition {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

const blank = /(?:[\s]|#[^\n]*)*/y;
const space = /[ \t]*/y;
const keyPart = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+/y;
const dot = /[ \t]*\.[ \t]*/y;
const string = /"""(?:[^\\]|\\[^])*?"{3,5}(?!")|'''[^]*?'{3,5}(?!')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const scalar = /[^\s,\]}#]+(?: \d[^\s,\]}#]*)?/y; // the space of `1979-05-27 07:32:00`

type Path = readonly string[];
type OnKey = (path: Path, offset: number) => void;

function scan(text: string, onKey: OnKey): void {
  let at = 0;
  let table: Path = [];

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const takeChar = (char: string) => {
    if (text[at] !== char) return false;
    at++;
    return true;
  };

  const takeKey = (): Path | undefined => {
    const parts: string[] = [];
    do {
      const part = unquote(take(keyPart));
      if (part === undefined) return undefined;
      parts.push(part);
    } while (take(dot) !== undefined);
    return parts;
  };

  const takePair = (parent: Path): boolean => {
    const offset = at;
    const key = takeKey();
    take(space);
    if (!key || !takeChar("=")) return false;
    const path = [...parent, ...key];
    onKey(path, offset);
    take(space);
    return takeValue(path);
  };

  const takeList = (close: string, takeItem: () => boolean): boolean => {
    for (;;) {
      take(blank);
      if (takeChar(close)) return true;
      if (!takeItem()) return false;
      take(blank);
      takeChar(",");
    }
  };

  const takeValue = (path: Path): boolean => {
    if (takeChar("{")) return takeList("}", () => takePair(path));
    if (takeChar("[")) return takeList("]", () => takeValue(path));
    return (take(string) ?? take(scalar)) !== undefined;
  };

  const takeHeader = (): boolean => {
    takeChar("[");
    take(space);
    const offset = at;
    const key = takeKey();
    take(space);
    if (!key || !takeChar("]")) return false;
    takeChar("]");
    table = key;
    onKey(key, offset);
    return true;
  };

  take(blank);
  while (at < text.length && (takeChar("[") ? takeHeader() : takePair(table))) take(blank);
}

/** Quoted names may contain escapes, so the parser decodes them. */
function unquote(part: string | undefined): string | undefined {
  if (!part || !/^["']/.test(part)) return part;
  try {
    return Object.keys(parse(`${part} = 0`))[0];
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
