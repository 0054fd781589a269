import { inSlices } from "../base/tick.ts";

/** A page of things with names, in the order of `compareNames`. */
export interface NamePage {
  /** The last name of the previous page; "" for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Compares by UTF-8 bytes, which is the order of every store. */
export function compareNames(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters above U+FFFF, although their own code units are lower. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** A page of rows that are in memory. Does not block the event loop, however many rows there are. */
export async function pageOf<Row extends { readonly name: string }>(
  rows: Iterable<Row>,
  { after, limit }: NamePage,
): Promise<readonly Row[]> {
  let found: Row[] = [];
  let last: string | undefined;
  const trim = () => {
    found = found.sort((a, b) => compareNames(a.name, b.name)).slice(0, limit);
    if (found.length === limit) last = found.at(-1)!.name;
  };
  await inSlices(rows, (row) => {
    if (compareNames(row.name, after) <= 0) return;
    if (last !== undefined && compareNames(row.name, last) > 0) return;
    if (found.push(row) >= 2 * limit) trim();
  });
  trim();
  return found;
}
