/**
 * The decisions of a lease, without any I/O. No two clocks are compared:
 * - the owner counts from the moment it *sent* its write, on its own monotonic clock, and stops at
 *   `deadlineMs`;
 * - another node counts from the time that the store gave to that write, on the store's clock,
 *   which cannot be earlier than the sending. It waits longer than the owner may go on;
 * - the margin on both sides covers times in whole seconds, front ends whose clocks differ, and
 *   clocks that run at different speeds.
 */
import type { LeaseRecord } from "./lease-record.ts";

export interface LeaseTimes {
  readonly ttlMs: number;
  readonly marginMs: number;
}

/** When the owner stops without being asked, on the clock of `sentMs`. */
export const deadlineMs = (sentMs: number, { ttlMs, marginMs }: LeaseTimes): number =>
  sentMs + ttlMs - marginMs;

/** The age at which another node may take the lease: 0 if the owner released it. */
export const freeAtAgeMs = (record: LeaseRecord, marginMs: number): number =>
  record.state === "released" ? 0 : record.ttlMs + marginMs;

/** The outcome of a write to the lease, as far as its answer shows. */
export type WriteAnswer = "accepted" | "refused" | "unknown";

/** What a later read shows: this write, the content that it should replace, or something else. */
export type ReadBack = "mine" | "base" | "other";

/**
 * The lease is held if its write was accepted. Any other answer proves nothing: a refusal may be
 * the second answer to a write that succeeded, and an error may come before, after or without the
 * write. So the stored content decides. If the write is not there, it may still arrive, so the same
 * write is sent again; it is never concluded that nothing was written.
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
