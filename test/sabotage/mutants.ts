import { lineAt, scanSource } from "../support/source-scan.ts";

/** One small change of a file's code, made by a rule instead of by hand. */
export interface Mutant {
  readonly line: number;
  readonly change: string;
  readonly text: string;
}

/** Each is a mistake that people make: a boundary, a condition, an order, a count. */
const changes: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/===/g, "!=="],
  [/!==/g, "==="],
  [/ <= /g, " < "],
  [/ >= /g, " > "],
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/&&/g, "||"],
  [/\|\|/g, "&&"],
  [/ \+ 1\b/g, " + 0"],
  [/\bMath\.max\b/g, "Math.min"],
  [/\bMath\.min\b/g, "Math.max"],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/\bcontinue;/g, "break;"],
  [/\.some\(/g, ".every("],
  [/\.every\(/g, ".some("],
];

/** All mutants of a file, in the order of its lines. Comments, strings and types are left alone. */
export function mutantsOf(source: string): readonly Mutant[] {
  const { code } = scanSource(source);
  return changes
    .flatMap(([pattern, replacement]) =>
      [...code.matchAll(pattern)].map((match) => ({ match, replacement })),
    )
    .filter(
      ({ match }) => !/^(?:import|export type|interface|type) /.test(lineOf(code, match.index)),
    )
    .toSorted((a, b) => a.match.index - b.match.index)
    .map(({ match: { 0: found, index }, replacement }) => ({
      line: lineAt(source, index),
      change: `${found.trim()} → ${replacement.trim()}`,
      text: source.slice(0, index) + replacement + source.slice(index + found.length),
    }));
}

/** At most `count` of them, spread evenly over the file: the same ones each time. */
export function sampleOf(mutants: readonly Mutant[], count: number): readonly Mutant[] {
  if (mutants.length <= count) return mutants;
  return Array.from(
    { length: count },
    (_, at) => mutants[Math.floor((at * mutants.length) / count)]!,
  );
}

const lineOf = (text: string, at: number): string =>
  text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at)).trimStart();
