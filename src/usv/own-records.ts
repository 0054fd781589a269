import { escape, recordEnd, unitEnd } from "./marks.ts";
import { scanUsv } from "./scan-usv.ts";

/**
 * The position of one record: its units start at `from`, its end mark is at `end`, the next record
 * starts at `next`.
 */
export type OnLine = (from: number, end: number, next: number, hasEscape: boolean) => void;

/**
 * Finds the records in a text that `encodeRecord` wrote, without copying. Returns the position
 * after the last complete record; an incomplete record after it is ignored.
 */
export function eachOwnLine(text: string, onLine: OnLine, start = 0): number {
  let from = start;
  let nextEscape = text.indexOf(escape, start);
  for (;;) {
    // Searching for one character is many times faster than for two.
    let end = text.indexOf(recordEnd, from);
    let isEscaping = nextEscape >= 0 && nextEscape < end;
    while (end >= 0 && !isLineEnd(text, end, isEscaping ? from : end)) {
      end = text.indexOf(recordEnd, end + 1);
      isEscaping = nextEscape >= 0 && nextEscape < end;
    }
    if (end < 0) return from;
    if (isEscaping) nextEscape = text.indexOf(escape, end);
    const next = end + 2;
    onLine(from, end, next, isEscaping);
    from = next;
  }
}

/**
 * Where the record that starts at `from` ends, including the end mark; the end of the text if it is
 * incomplete.
 */
export function ownLineEnd(text: string, from: number): number {
  let end = text.indexOf(lineEnd, from);
  while (end >= 0 && isEscaped(text, end, from)) end = text.indexOf(lineEnd, end + 1);
  return end < 0 ? text.length : end + lineEnd.length;
}

/**
 * Where the record starts that contains the character `at`. A record must start at `from`, which
 * must not be after `at`.
 */
export function ownLineStart(text: string, from: number, at: number): number {
  let end = text.lastIndexOf(lineEnd, at - lineEnd.length);
  while (end >= from && isEscaped(text, end, from)) end = text.lastIndexOf(lineEnd, end - 1);
  return end < from ? from : end + lineEnd.length;
}

/** True if something in a record is escaped: then its units must be unescaped. */
export const hasEscape = (text: string, from: number, end: number): boolean =>
  text.slice(from, end).includes(escape);

/**
 * Calls `onRecord` for the records of a text that `encodeRecord` wrote, several times faster than
 * the scanner: a record without an escape is only split. Returns the length of all complete
 * records; an incomplete record after them is ignored.
 */
export function eachOwnRecord(
  text: string,
  onRecord: (units: string[], raw: string) => void,
): number {
  return eachOwnLine(text, (from, end, next, hasEscape) => {
    const raw = text.slice(from, next);
    onRecord(hasEscape ? escapedUnits(raw) : unitsOf(text.slice(from, end)), raw);
  });
}

/** The units of one record with an escape. */
export function escapedUnits(raw: string): string[] {
  const [item] = scanUsv(raw);
  return item?.kind === "record" ? [...item.units] : [];
}

function unitsOf(content: string): string[] {
  const units = content.split(unitEnd);
  // Every unit is ended, so the last piece is empty. If it is not, it is a unit without an end.
  if (units.at(-1) === "") units.pop();
  return units;
}

const isLineEnd = (text: string, at: number, from: number): boolean =>
  text.charCodeAt(at + 1) === 0x0a && !isEscaped(text, at, from);

const lineEnd = `${recordEnd}\n`;

/** True if an odd number of escapes precedes it, which makes it content. */
function isEscaped(text: string, at: number, from: number): boolean {
  let count = 0;
  while (at - 1 - count >= from && text[at - 1 - count] === escape) count += 1;
  return count % 2 === 1;
}
