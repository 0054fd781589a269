import { backwards } from "../text/characters.ts";
import { fromBase64, rot13 } from "./ciphers.ts";
import { decoded } from "./mailto.ts";
import { tokensOf, type Token } from "./script-tokens.ts";

/**
 * Evaluates the string expressions of a small script without running it: literals, `+`, variables
 * that hold a string, atob, fromCharCode, unescape, split, reverse, join, replace, concat. Anything
 * else is a gap, never a guess.
 */
export interface FoldedString {
  readonly text: string;
  /** It was joined or decoded, not just a literal. */
  readonly isMade: boolean;
}

type Value = string | readonly string[] | undefined;

interface Known {
  readonly value: Value;
  readonly isMade: boolean;
}

const resultsMax = 2_000;
const charsMax = 5_000;
const depthMax = 20;
const nothing: Known = { value: undefined, isMade: false };

export function foldScript(source: string): readonly FoldedString[] {
  const tokens = tokensOf(source);
  const names = new Map<string, Known>();
  const results: FoldedString[] = [];
  let at = 0;

  const peek = (ahead = 0): string => {
    const token = tokens[at + ahead];
    return token === undefined || token.kind === "string" ? "" : token.text;
  };
  const take = (text: string): boolean => {
    if (peek() !== text) return false;
    at += 1;
    return true;
  };
  const note = ({ value, isMade }: Known): void => {
    if (typeof value === "string" && value.length > 4 && results.length < resultsMax) {
      results.push({ text: value, isMade });
    }
  };

  /** a + b + c */
  function sum(depth: number): Known {
    let left = term(depth);
    while (peek() === "+" && peek(1) !== "+" && peek(1) !== "=") {
      at += 1;
      const right = term(depth);
      if (typeof left.value === "string" && typeof right.value === "string") {
        left = bounded(left.value + right.value);
      } else {
        // A known part next to a gap may still contain an address.
        note(left);
        left = typeof right.value === "string" ? { ...right, isMade: true } : nothing;
      }
    }
    return left;
  }

  function term(depth: number): Known {
    if (depth > depthMax) return skip();
    let known = primary(depth);
    for (let calls = 0; calls < 20; calls++) {
      if (peek() === "." && tokens[at + 1]?.kind === "name" && peek(2) === "(") {
        const method = peek(1);
        at += 3;
        known = call(method, known, args(depth));
      } else if (
        peek() === "[" &&
        known.value !== undefined &&
        tokens[at + 1]?.kind === "number" &&
        peek(2) === "]"
      ) {
        known = { value: known.value[Number(peek(1))], isMade: true };
        at += 3;
      } else break;
    }
    return known;
  }

  function primary(depth: number): Known {
    const token = tokens[at];
    if (!token) return nothing;
    if (token.kind === "string") {
      at += 1;
      return { value: token.text, isMade: false };
    }
    if (token.kind === "number") {
      at += 1;
      return { value: token.text, isMade: false };
    }
    if (take("(")) {
      const inner = sum(depth + 1);
      while (at < tokens.length && peek() !== ")" && take(",")) sum(depth + 1);
      take(")");
      return inner;
    }
    if (take("[")) return list(depth);
    if (token.kind === "name") return named(token, depth);
    return skip();
  }

  function named(token: Token, depth: number): Known {
    at += 1;
    let name = token.text;
    if (name.startsWith("/")) return { value: literalOf(name), isMade: false };
    while (peek() === "." && tokens[at + 1]?.kind === "name" && isPath(name, peek(1))) {
      name = peek(1);
      at += 2;
    }
    if (peek() === "(" && functions.has(name)) {
      at += 1;
      return applied(name, args(depth));
    }
    return names.get(name) ?? nothing;
  }

  function list(depth: number): Known {
    const items: string[] = [];
    let isWhole = true;
    while (at < tokens.length && !take("]")) {
      const before = at;
      const { value } = sum(depth + 1);
      if (typeof value === "string") items.push(value);
      else isWhole = false;
      take(",");
      if (at === before) at += 1;
      if (items.length > 500) isWhole = false;
    }
    return { value: isWhole ? items : undefined, isMade: true };
  }

  /** The rest of a call, after its opening bracket. */
  function args(depth: number): readonly Known[] {
    const found: Known[] = [];
    while (at < tokens.length && !take(")")) {
      const before = at;
      const one = sum(depth + 1);
      if (found.length < 500) found.push(one);
      take(",");
      if (at === before) at += 1;
    }
    return found;
  }

  function skip(): Known {
    at += 1;
    return nothing;
  }

  while (at < tokens.length) {
    const token = tokens[at]!;
    const isAssigned =
      token.kind === "name" &&
      (peek(1) === "=" || peek(1) === ":" || (peek(1) === "+" && peek(2) === "=")) &&
      peek(2) !== (peek(1) === "+" ? "" : "=");
    if (isAssigned) {
      const isMore = peek(1) === "+";
      at += isMore ? 3 : 2;
      const next = sum(0);
      const last = isMore ? names.get(token.text) : undefined;
      const known =
        isMore && typeof last?.value === "string" && typeof next.value === "string"
          ? bounded(last.value + next.value)
          : isMore
            ? nothing
            : next;
      if (names.size < 2_000) names.set(token.text, known);
      note(known);
      continue;
    }
    const before = at;
    note(sum(0));
    if (at === before) at += 1;
  }
  return results;
}

/** The text of a pattern that matches exactly one text: `/\[at\]/g`. */
function literalOf(pattern: string): string | undefined {
  const body = /^\/((?:[^\\[\](){}.*+?^$|/]|\\[^a-z0-9])+)\/[gimuy]*$/i.exec(pattern)?.[1];
  return body?.replace(/\\(.)/g, "$1");
}

const bounded = (text: string): Known => ({
  value: text.length > charsMax ? undefined : text,
  isMade: true,
});

/** `String.fromCharCode`, `window.atob`: only the last name counts. */
const isPath = (owner: string, next: string): boolean =>
  functions.has(next) && /^(?:String|window|self|globalThis|document|location)$/.test(owner);

const functions = new Set([
  "atob",
  "unescape",
  "decodeURIComponent",
  "decodeURI",
  "fromCharCode",
  "fromCodePoint",
  "rot13",
  "str_rot13",
  "reverse",
  "write",
  "writeln",
]);

function applied(name: string, given: readonly Known[]): Known {
  const [first] = given;
  const text = typeof first?.value === "string" ? first.value : undefined;
  const make = (value: Value): Known => ({ value, isMade: true });
  switch (name) {
    case "fromCharCode":
    case "fromCodePoint": {
      const codes = (
        Array.isArray(first?.value) ? first.value : given.map(({ value }) => value)
      ) as readonly Value[];
      const numbers = codes.map((code) => (typeof code === "string" ? Number(code) : Number.NaN));
      const isText = numbers.length > 0 && numbers.every((code) => code >= 9 && code < 0x110000);
      return make(isText ? String.fromCodePoint(...numbers) : undefined);
    }
    case "atob":
      return make(text === undefined ? undefined : fromBase64(text));
    case "unescape":
    case "decodeURIComponent":
    case "decodeURI":
      return make(text === undefined ? undefined : decoded(text));
    case "rot13":
    case "str_rot13":
      return make(text === undefined ? undefined : rot13(text));
    case "reverse":
      return make(text === undefined ? undefined : backwards(text));
    default:
      return first ?? nothing;
  }
}

function call(method: string, { value }: Known, given: readonly Known[]): Known {
  const first = given[0]?.value;
  const make = (made: Value): Known => ({ value: made, isMade: true });
  if (Array.isArray(value)) {
    if (method === "reverse") return make([...value].reverse());
    if (method === "concat" && Array.isArray(first))
      return make([...value, ...(first as string[])]);
    if (method !== "join") return nothing;
    return bounded(value.join(typeof first === "string" ? first : ","));
  }
  if (typeof value !== "string") return nothing;
  switch (method) {
    case "split":
      return make(typeof first === "string" ? value.slice(0, charsMax).split(first) : undefined);
    case "concat": {
      const parts = given.map((one) => one.value);
      if (!parts.every((part) => typeof part === "string")) return nothing;
      return bounded(value + parts.join(""));
    }
    case "replace":
    case "replaceAll": {
      const second = given[1]?.value;
      if (typeof first !== "string" || typeof second !== "string") return make(value);
      return bounded(value.replaceAll(first, () => second));
    }
    case "trim":
    case "toLowerCase":
    case "toString":
      return make(value.trim());
    default:
      return nothing;
  }
}
