/**
 * The data that gossip spreads. Gossip does not interpret records: they are bytes, numbered from 1
 * without gaps by their origin, so one number per origin says exactly what is known.
 */
export interface GossipReplica {
  /** For each origin the number up to which nothing is missing. */
  vector(): ReadonlyMap<string, number>;
  /**
   * Records from `from` to at most `to`: as many as fit into `bytesMax`, at least one. undefined:
   * none of them is held here (any more).
   */
  read(ask: ReadAsk): Promise<Range | undefined>;
  /**
   * Durable when it resolves. Known records are skipped; a range beyond a gap is dropped. The
   * vector shows afterwards how far it came: what is not counted there is offered again, with what
   * follows it. Throws AppError `invalid` or `corrupt` for bad records: they are counted and
   * dropped.
   */
  receive(range: Range): Promise<void>;
  /**
   * Calls the listener with this node's own records, once durable. Returns a function that stops
   * it.
   */
  follow(listener: (range: Range) => void): () => void;
}

/** Records of one origin, with the numbers from, from + 1, … */
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

/**
 * Names that arrive may become part of a key or of a file name: they must have the form that we
 * make.
 */
export const isName = (text: string): boolean => /^[0-9a-z]{1,32}$/.test(text);

export function isOrigin(text: string): boolean {
  const slash = text.indexOf("/");
  return isName(text.slice(0, Math.max(0, slash))) && isName(text.slice(slash + 1));
}

export const lastOf = ({ from, records }: Range): number => from + records.length - 1;
