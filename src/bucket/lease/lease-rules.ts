/**
 * The decisions of a lease, without any I/O. Three times matter, and no two clocks are compared:
 * - a holder counts from the moment it *sent* its write, on its own monotonic clock, and stops at
 *   `deadlineMs`;
 * - a stranger counts from the moment the store stamped that write, on the store's clock, which
 *   cannot be earlier than the sending, and waits longer than the holder may go on;
 * - the margin on both sides covers stamps of whole seconds, front ends whose clocks differ, and
 *   clocks that run at different speeds.
 */
import type { LeaseRecord } from "./lease-record.ts";

export interface LeaseTimes {
  readonly ttlMs: number;
  readonly marginMs: number;
}

/** When the holder stops by itself, on the clock that `sentMs` is from. */
export const deadlineMs = (sentMs: number, { ttlMs, marginMs }: LeaseTimes): number =>
  sentMs + ttlMs - marginMs;

/** The age at which a stranger may take a lease over: 0 when its holder gave it back. */
export const freeAtAgeMs = (record: LeaseRecord, marginMs: number): number =>
  record.state === "released" ? 0 : record.ttlMs + marginMs;

/** How a write to the lease ended, as far as its answer says. */
export type WriteAnswer = "accepted" | "refused" | "unknown";

/** What a read after that shows: the write itself, the content it was to replace, or another. */
export type ReadBack = "mine" | "base" | "other";

/**
 * An accepted write is held. Every other answer proves nothing, for a refusal may be the second
 * answer to one's own success, and an error may come before, after or without the write. So what
 * stands decides; and what does not stand yet may still arrive, so it is the same write again,
 * never the conclusion that nothing was written.
 */
export function judgeWrite(answer: WriteAnswer, readBack: ReadBack | undefined): WriteVerdict {
  if (answer === "accepted") return "held";
  switch (readBack) {
    case "mine":
      return "held";
    case "other":
      return "lost";
    case "base":
    case undefined:
      return "again";
  }
}

export type WriteVerdict = "held" | "lost" | "again";
