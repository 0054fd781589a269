import { createHash } from "node:crypto";
import { fitEntries } from "./packing.ts";
import { hashBytes, originBytesMax, type Chunk, type VectorEntry } from "./wire/items.ts";

type Vector = ReadonlyMap<string, number>;

/** Equal for equal vectors: while it is equal, the vectors need not be sent. */
export function hashOf(vector: Vector): Uint8Array {
  const hash = createHash("sha256");
  for (const { origin, number } of entriesOf(vector)) hash.update(`${origin} ${number}\n`);
  return new Uint8Array(hash.digest().subarray(0, hashBytes));
}

export const entriesOf = (vector: Vector): readonly VectorEntry[] =>
  [...vector]
    .filter(([, number]) => number > 0)
    .map(([origin, number]) => ({ origin, number }))
    .sort(byOrigin);

/** The vector after `start`, in up to `chunksMax` packets; it wraps around at the end. */
export function chunksOf(
  vector: Vector,
  { start, room, chunksMax }: { readonly start: string; room: number; chunksMax: number },
): { readonly chunks: readonly Chunk[]; readonly next: string } {
  const entries = entriesOf(vector);
  const chunks: Chunk[] = [];
  let at = entries.findIndex(({ origin }) => origin > start);
  let after = at === -1 ? "" : start;
  if (at === -1) at = 0;
  const chunkRoom = room - 2 * (originBytesMax + 2);
  while (chunks.length < chunksMax) {
    const fitting = fitEntries(entries.slice(at), chunkRoom);
    at += fitting.length;
    const isEnd = at >= entries.length;
    const through = isEnd ? "" : fitting.at(-1)!.origin;
    chunks.push({ kind: "chunk", after, through, entries: fitting });
    after = through;
    if (isEnd) break;
  }
  return { chunks, next: after };
}

/** The origins for which we have more than the sender of this chunk of its vector. */
export function aheadOf(
  { after, through, entries }: Chunk,
  vector: Vector,
): readonly VectorEntry[] {
  const theirs = new Map(entries.map(({ origin, number }) => [origin, number]));
  return entriesOf(vector).filter(
    ({ origin, number }) =>
      origin > after && (through === "" || origin <= through) && number > (theirs.get(origin) ?? 0),
  );
}

const byOrigin = (a: VectorEntry, b: VectorEntry) =>
  a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0;
