import { escape, recordEnd, unitEnd } from "./marks.ts";
import { scanUsv } from "./scan-usv.ts";

const lineEnd = `${recordEnd}\n`;

/**
 * The records of a text that `encodeRecord` wrote, several times faster than the scanner: a record
 * without an escape is split as it is. Answers how many characters were whole records; what
 * follows them is not read.
 */
export function eachOwnRecord(
  text: string,
  onRecord: (units: string[], raw: string) => void,
): number {
  let from = 0;
  for (;;) {
    let end = text.indexOf(lineEnd, from);
    while (end >= 0 && isEscaped(text, end, from)) end = text.indexOf(lineEnd, end + 1);
    if (end < 0) return from;
    const raw = text.slice(from, end + lineEnd.length);
    if (raw.includes(escape)) {
      const [item] = scanUsv(raw);
      onRecord(item?.kind === "record" ? [...item.units] : [], raw);
    } else {
      const units = text.slice(from, end).split(unitEnd);
      // Every unit is ended, so the last piece is empty; else it is a unit that was not ended.
      if (units.at(-1) === "") units.pop();
      onRecord(units, raw);
    }
    from = end + lineEnd.length;
  }
}

/** An odd number of escapes in front makes it content. */
function isEscaped(text: string, at: number, from: number): boolean {
  let count = 0;
  while (at - 1 - count >= from && text[at - 1 - count] === escape) count += 1;
  return count % 2 === 1;
}
