import type { Clock } from "../../../../base/clock.ts";
import type { Random } from "../../../../base/random.ts";

/**
 * When a node may write to a shard again. A node that has just written knows the head and needs one
 * request for its next write; all others need two, a read and a write. So a node that writes
 * without pauses would win every race. Therefore:
 * - after a refused write the node waits, longer each time, so that more operations go into one
 *   write;
 * - a node that has written without a break for a while leaves enough time for a read and a write
 *   of another node. It does so early if others are known to write, and later if not, because an
 *   unseen node may be trying.
 */
export interface CommitPace {
  /** Time until the next write may begin; 0 or less: at once. */
  waitMs(): number;
  ended(commit: EndedCommit): void;
}

export interface EndedCommit {
  readonly startMs: number;
  /** A write was refused or its outcome is unknown. */
  readonly isContended: boolean;
  /** Others have written to this shard recently. */
  readonly hasCompany: boolean;
}

export interface CommitPaceOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The longest pause. */
  readonly pauseMsMax: number;
}

const intervalMsFirst = 5;
/** How long a node writes without leaving time for others. */
const reignMsMax = { inCompany: 300, alone: 800 };
/**
 * The time to leave, in durations of this node's requests. It is more than two, because others may
 * have slower connections, and random, so that nodes do not get into step.
 */
const roomRequests = { least: 3, most: 8 };

export function createCommitPace({ clock, random, pauseMsMax }: CommitPaceOptions): CommitPace {
  let lastEndMs = -Infinity;
  /** Grows while there are conflicts, and shrinks while there are none. */
  let intervalMs = 0;
  let roomMs = 0;
  /** When it last left time for others, on purpose or because there was nothing to write. */
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
