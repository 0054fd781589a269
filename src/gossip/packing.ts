import { assert } from "../base/app-error.ts";
import { lastOf, type Range } from "./replica.ts";
import { bytesSize, createWriter } from "./wire/bytes.ts";
import { entrySize, rangeSize, writeItem, type VectorEntry, type Item } from "./wire/items.ts";

/** Packs items, in order, into as few packet bodies as possible. */
export function packItems(items: readonly Item[], room: number): readonly Uint8Array[] {
  const bodies: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  let used = 0;
  const flush = () => {
    if (parts.length > 0) bodies.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    parts = [];
    used = 0;
  };
  for (const item of items) {
    const writer = createWriter(256);
    writeItem(writer, item);
    const part = writer.done();
    assert(
      part.length <= room,
      `a ${item.kind} of ${part.length} bytes does not fit into a packet`,
    );
    if (used + part.length > room) flush();
    parts.push(part);
    used += part.length;
  }
  flush();
  return bodies;
}

export interface CutRange {
  /** Each piece fits into a packet. */
  readonly pieces: readonly Range[];
  /** The numbers of the records that are too large for any packet. */
  readonly large: readonly number[];
}

export function cutRange({ origin, from, records }: Range, room: number): CutRange {
  const pieces: Range[] = [];
  const large: number[] = [];
  let piece: Uint8Array[] = [];
  let pieceFrom = from;
  let used = 0;
  const flush = (next: number) => {
    if (piece.length > 0) pieces.push({ origin, from: pieceFrom, records: piece });
    piece = [];
    pieceFrom = next;
    used = rangeSize(origin, next);
  };
  flush(from);
  records.forEach((record, at) => {
    const number = from + at;
    const size = bytesSize(record.length);
    if (rangeSize(origin, number) + size > room) {
      large.push(number);
      return flush(number + 1);
    }
    if (used + size > room) flush(number);
    piece.push(record);
    used += size;
  });
  flush(from + records.length);
  return { pieces, large };
}

/** Joins ranges that follow one another. */
export function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last?.origin === range.origin && lastOf(last) + 1 === range.from) {
      joined[joined.length - 1] = { ...last, records: [...last.records, ...range.records] };
    } else joined.push(range);
  }
  return joined;
}

/** As many of these entries as fit. Sort them by origin to make them short. */
export function fitEntries(entries: readonly VectorEntry[], room: number): readonly VectorEntry[] {
  let used = 4;
  let before = "";
  const fitting: VectorEntry[] = [];
  for (const entry of entries) {
    used += entrySize(before, entry);
    if (used > room) break;
    fitting.push(entry);
    before = entry.origin;
  }
  return fitting;
}
