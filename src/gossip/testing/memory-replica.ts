import { AppError } from "../../base/app-error.ts";
import { lastOf, type Range, type GossipReplica } from "../replica.ts";

/**
 * Records in memory, and a list of everything that was ever stored, to find records stored twice.
 */
export interface MemoryReplica extends GossipReplica {
  write(origin: string, ...records: readonly Uint8Array[]): void;
  records(origin: string): readonly Uint8Array[];
  /** Removes records of an origin up to a number, as after a checkpoint. */
  forget(origin: string, upTo: number): void;
  /** Every (origin, number) in the order in which it was stored. */
  readonly stored: readonly string[];
  /** Called before each range is stored; may throw. */
  refuse: ((range: Range) => void) | undefined;
  /** How often receive was called. */
  received(): number;
}

export function createMemoryReplica(): MemoryReplica {
  const logs = new Map<string, Uint8Array[]>();
  const floors = new Map<string, number>();
  const vector = new Map<string, number>();
  const listeners = new Set<(range: Range) => void>();
  const stored: string[] = [];
  let received = 0;
  const logOf = (origin: string) => {
    const log = logs.get(origin) ?? [];
    logs.set(origin, log);
    return log;
  };
  const append = (origin: string, record: Uint8Array) => {
    const count = logOf(origin).push(Uint8Array.from(record));
    vector.set(origin, count);
    stored.push(`${origin}/${count}`);
  };
  const replica: MemoryReplica = {
    stored,
    refuse: undefined,
    received: () => received,
    vector: () => vector,
    async read({ origin, from, to, bytesMax }) {
      const log = logs.get(origin);
      if (!log || from > log.length || from <= (floors.get(origin) ?? 0)) return undefined;
      const records: Uint8Array[] = [];
      let bytes = 0;
      for (let number = from; number <= Math.min(to, log.length); number++) {
        const record = log[number - 1]!;
        bytes += record.length;
        if (records.length > 0 && bytes > bytesMax) break;
        records.push(record);
      }
      return { origin, from, records };
    },
    async receive(range) {
      received += 1;
      replica.refuse?.(range);
      const { origin, from, records } = range;
      const have = logOf(origin).length;
      if (from > have + 1) throw new AppError("invalid", "hole", `${origin} ends at ${have}`);
      for (let at = have + 1 - from; at < records.length; at++) append(origin, records[at]!);
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    write(origin, ...records) {
      const from = logOf(origin).length + 1;
      for (const record of records) append(origin, record);
      for (const listener of listeners) listener({ origin, from, records });
    },
    records: (origin) => logs.get(origin) ?? [],
    forget: (origin, upTo) => void floors.set(origin, upTo),
  };
  return replica;
}

/** A range as text, for messages. */
export const spanOf = (range: Range): string => `${range.origin} ${range.from}-${lastOf(range)}`;
