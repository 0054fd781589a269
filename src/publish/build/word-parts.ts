import { encodeNumbers, summaryMax } from "../site-format.ts";

/** Compression reduces it to about a third. */
const partLengthMax = 36_000;
export const factMark = "¦";

interface Line {
  readonly term: string;
  readonly numbers: readonly number[];
  readonly text: string;
}

/**
 * Splits the index into parts by word prefix: `fl` has all words that begin with it. A prefix with
 * too many words is split by the next letter; `co*` then lists the companies that have any of them.
 */
export function* wordParts(
  postings: Iterable<readonly [term: string, numbers: readonly number[]]>,
): Generator<readonly [key: string, text: string]> {
  const lines = [...postings]
    .map(([term, numbers]) => ({ term, numbers, text: `${term}\t${encodeNumbers(numbers)}\n` }))
    .sort((a, b) => (a.term < b.term ? -1 : 1));
  for (const [letter, group] of groups(lines, 0)) yield* partsOf(letter, group);
}

function* partsOf(
  begin: string,
  lines: readonly Line[],
): Generator<readonly [key: string, text: string]> {
  const length = lines.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= partLengthMax || lines.length === 1) {
    yield [begin, lines.map(({ text }) => text).join("")];
    return;
  }
  // Facts are only looked up as whole terms.
  if (!begin.startsWith(factMark)) yield [`${begin}*`, `\t${encodeNumbers(summaryOf(lines))}\n`];
  for (const [next, group] of groups(lines, begin.length)) {
    if (next === begin) yield [`${begin}=`, group.map(({ text }) => text).join("")];
    else yield* partsOf(next, group);
  }
}

/**
 * Groups lines by a prefix that is one letter longer. Lines are sorted, so a group is contiguous.
 */
function groups(lines: readonly Line[], length: number): ReadonlyMap<string, readonly Line[]> {
  const found = new Map<string, Line[]>();
  for (const line of lines) {
    const begin = line.term.slice(0, length + 1);
    const group = found.get(begin);
    if (group) group.push(line);
    else found.set(begin, [line]);
  }
  return found;
}

function summaryOf(lines: readonly Line[]): readonly number[] {
  const all = new Set<number>();
  for (const { numbers } of lines) for (const number of numbers) all.add(number);
  return [...all].sort((a, b) => a - b).slice(0, summaryMax);
}
