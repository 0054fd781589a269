/**
 * What gossip spreads. It knows nothing of what a record means: to it records are bytes, numbered
 * from 1 without gaps by their origin, so that one number per origin tells exactly what is known.
 */
export interface GossipReplica {
  /** The last number of each origin up to which nothing is missing. */
  vector(): ReadonlyMap<string, number>;
  /**
   * Records from `from` to `to` at most, as many as fit into `bytesMax`, the first always.
   * undefined: none of it is held here (any more).
   */
  read(ask: ReadAsk): Promise<Range | undefined>;
  /**
   * Durable when it resolves. What is known already is skipped; of a range beyond a hole nothing
   * is kept. How far it came is what the vector shows afterwards: what is not counted there is
   * offered again, with what follows it. Throws AppError `invalid` or `corrupt` for records that are
   * none: they are counted and dropped.
   */
  receive(range: Range): Promise<void>;
  /** Calls with what this node wrote itself, once durable. Answers how to stop. */
  follow(listener: (range: Range) => void): () => void;
}

/** Records of one origin with the numbers from, from + 1, … */
export interface Range {
  /** `node/session` */
  readonly origin: string;
  readonly from: number;
  readonly records: readonly Uint8Array[];
}

export interface ReadAsk {
  readonly origin: string;
  readonly from: number;
  readonly to: number;
  readonly bytesMax: number;
}

/** What arrives may become part of a key or of a file's name: it must be what we make ourselves. */
export const isName = (text: string): boolean => /^[0-9a-z]{1,32}$/.test(text);

export function isOrigin(text: string): boolean {
  const slash = text.indexOf("/");
  return isName(text.slice(0, Math.max(0, slash))) && isName(text.slice(slash + 1));
}

export const lastOf = ({ from, records }: Range): number => from + records.length - 1;
