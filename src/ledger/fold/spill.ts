import type { Datagram } from "../datagram/datagram.ts";
import { partCount } from "./part-state.ts";

/**
 * Where a fold keeps what it has read until it comes to its part: a fold reads sessions one after
 * the other and writes parts one after the other. In the order in which it was added.
 */
export interface Spill extends AsyncDisposable {
  add(part: number, datagram: Datagram, raw: string): void;
  /** Resolves when there is room for more. Call it after each segment. */
  flush(): Promise<void>;
  read(part: number): Promise<readonly Datagram[]>;
  /** Parts that something was added to. */
  touched(): readonly number[];
  /** How much one fold may read. */
  readonly bytesMax: number;
}

export function createMemorySpill(): Spill {
  const parts: Datagram[][] = Array.from({ length: partCount }, () => []);
  return {
    bytesMax: 64 * 2 ** 20,
    add: (part, datagram) => void parts[part]!.push(datagram),
    async flush() {},
    read: async (part) => parts[part]!,
    touched: () => parts.flatMap((some, part) => (some.length > 0 ? [part] : [])),
    async [Symbol.asyncDispose]() {},
  };
}
