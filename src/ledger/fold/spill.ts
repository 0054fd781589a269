import { partCount } from "./part-state.ts";

/**
 * Keeps the records that a fold has read, by part: a fold reads session by session and writes part
 * by part. Records of a part stay in the order in which they were added.
 */
export interface Spill extends AsyncDisposable {
  /** Copies the record in the range from `from` to before `to`. */
  add(part: number, bytes: Uint8Array, from: number, to: number): void;
  /** Resolves when there is room for more. Call it after each segment. */
  flush(): Promise<void>;
  /**
   * The records of a part, in pieces of whole records. Call it once for each part; the caller owns
   * the pieces.
   */
  read(part: number): Promise<readonly Uint8Array[]>;
  /** Parts that have records. */
  touched(): readonly number[];
  /** How many bytes one fold may read. */
  readonly bytesMax: number;
}

export function createMemorySpill(): Spill {
  const pieces = createPieces();
  const full = new Map<number, Uint8Array[]>();
  pieces.onFull((part, piece) => void full.set(part, [...(full.get(part) ?? []), piece]));
  return {
    bytesMax: 64 * 2 ** 20,
    add: pieces.add,
    async flush() {},
    read: async (part) => [...(full.get(part) ?? []), pieces.open(part)],
    touched: pieces.touched,
    async [Symbol.asyncDispose]() {},
  };
}

/** One open piece for each part; a full piece is passed to the callback. */
export interface Pieces {
  readonly add: Spill["add"];
  readonly touched: () => readonly number[];
  /** The content of the open piece. */
  open(part: number): Uint8Array;
  onFull(callback: (part: number, piece: Uint8Array) => void): void;
}

const pieceBytesMin = 1_024;
/** For 256 parts, 16 MiB. */
const pieceBytesMax = 64 * 1_024;

export function createPieces(): Pieces {
  const pieces: (Uint8Array | undefined)[] = [];
  const lengths = new Int32Array(partCount);
  let onFull = (_part: number, _piece: Uint8Array) => {};

  /** Returns a piece with room for that many bytes more: the same piece, enlarged, or a new one. */
  const makeRoom = (part: number, bytes: number): Uint8Array => {
    const old = pieces[part];
    const length = lengths[part]!;
    const isFull = length > 0 && length + bytes > pieceBytesMax;
    if (isFull) onFull(part, old!.subarray(0, length));
    const kept = isFull ? 0 : length;
    const grown = Math.min(pieceBytesMax, 4 * (old?.length ?? pieceBytesMin / 4));
    const made = new Uint8Array(Math.max(grown, kept + bytes));
    if (kept > 0) made.set(old!.subarray(0, kept));
    lengths[part] = kept;
    return (pieces[part] = made);
  };

  return {
    add(part, bytes, from, to) {
      const size = to - from;
      let piece = pieces[part];
      if (!piece || lengths[part]! + size > piece.length) piece = makeRoom(part, size);
      piece.set(bytes.subarray(from, to), lengths[part]!);
      lengths[part]! += size;
    },
    touched: () => [...pieces.keys()].filter((part) => pieces[part] !== undefined),
    open: (part) => pieces[part]?.subarray(0, lengths[part]) ?? new Uint8Array(),
    onFull: (callback) => void (onFull = callback),
  };
}
