import type { Clock } from "../../../../base/clock.ts";
import type { Random } from "../../../../base/random.ts";

/**
 * When a node may write to a shard again. Who has just written knows the head and needs one
 * request for the next write; all others need two, a read and a write. So a node that wrote on and
 * on would win every race, for as long as it has something to write. Hence:
 * - after a write that was refused it waits ever longer, so that more goes into one write;
 * - one that wrote for a while without a break leaves the time for a read and a write: soon where
 *   others are known to write, later where nobody else was seen, because somebody may be trying.
 */
export interface CommitPace {
  /** From now until the next write may begin; 0 or less: at once. */
  waitMs(): number;
  ended(commit: EndedCommit): void;
}

export interface EndedCommit {
  readonly startMs: number;
  /** A write was refused or got no clear answer. */
  readonly isContended: boolean;
  /** Others have written here lately. */
  readonly hasCompany: boolean;
}

export interface CommitPaceOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** No pause is longer. */
  readonly pauseMsMax: number;
}

const intervalMsFirst = 5;
/** How long a node writes without leaving room for others. */
const reignMsMax = { inCompany: 300, alone: 800 };
/**
 * Room for a read and a write, in requests of this node's, because others may be further away.
 * It is never in step with anybody.
 */
const roomRequests = { least: 3, most: 8 };

export function createCommitPace({ clock, random, pauseMsMax }: CommitPaceOptions): CommitPace {
  let lastEndMs = -Infinity;
  /** Grows while others are in the way, shrinks while nobody is. */
  let intervalMs = 0;
  let roomMs = 0;
  /** When it last left room, on purpose or because there was nothing to write. */
  let reignSinceMs = -Infinity;

  return {
    waitMs: () => lastEndMs + Math.max(intervalMs, roomMs) - clock.monotonicMs(),
    ended({ startMs, isContended, hasCompany }) {
      const nowMs = clock.monotonicMs();
      const grown = Math.max(intervalMsFirst, intervalMs * 2);
      const shrunk = intervalMs / 2 < intervalMsFirst ? 0 : intervalMs / 2;
      intervalMs = isContended ? Math.min(pauseMsMax, grown) : shrunk;
      const tookMs = nowMs - startMs;
      const { least, most } = roomRequests;
      if (startMs - lastEndMs >= least * tookMs || isContended) reignSinceMs = startMs;
      const isOver = nowMs - reignSinceMs > reignMsMax[hasCompany ? "inCompany" : "alone"];
      const requests = least + (most - least) * random.next();
      roomMs = isOver && !isContended ? Math.min(pauseMsMax, requests * tookMs) : 0;
      lastEndMs = nowMs;
    },
  };
}
