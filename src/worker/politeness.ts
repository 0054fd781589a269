import { cacheMetrics } from "../base/cache-metrics.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Counter, Metrics } from "../base/metrics.ts";
import type { GateView, Queue } from "../queue/index.ts";
import type { SlowDown } from "./outcome.ts";

/** The bounds within which the delay of a gate adapts to its host. */
export interface Bounds {
  readonly floorMs: number;
  readonly ceilingMs: number;
}

/**
 * Adapts the delay of a gate to the answers of its host. Invariants:
 * - the delay is stored in the queue, so it holds for the whole fleet. Only the number of
 *   successive good answers is kept here, and may be lost at any time;
 * - the delay stays within the bounds of the kind of the task, and changes only for kinds with
 *   bounds. A Retry-After blocks the gate for any kind;
 * - answers to requests that were sent before the last change do not change it again.
 */
export interface Politeness {
  good(gate: string, bounds: Bounds): void;
  /** `startedAtMs`: when the refused request was sent, on the monotonic clock. */
  slowDown(
    gate: string,
    bounds: Bounds | undefined,
    refusal: SlowDown & { readonly startedAtMs: number; readonly nowMs: number },
  ): void;
  /** Applies the state of the gate from an answer of the queue. */
  follow(gate: string, view: GateView): void;
}

export interface PolitenessOptions {
  readonly queue: Pick<Queue, "setGate" | "block">;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** This many good answers in a row shorten the delay by a fifth. */
export const streakLength = 20;
const shorten = 0.8;
const lengthen = 2;
/** The delay of a gate without one after its host has complained. */
const firstDelayMs = 1_000;
/** A longer Retry-After counts only for this time: the block can be renewed. */
export const blockMsMax = 3_600_000;
export const gatesMax = 10_000;

interface Known {
  delayMs: number | undefined;
  streak: number;
  changedAtMs: number;
}

export function createPoliteness(options: PolitenessOptions): Politeness {
  const { queue, logger } = options;
  const { changes, hits, misses, evicted, changed } = createCounters(
    options.metrics,
    () => known.size,
  );
  const known = new Map<string, Known>(); // least recently used first

  function knownOf(gate: string): Known {
    let found = known.get(gate);
    if (found) {
      hits.add(1);
      known.delete(gate);
    } else {
      misses.add(1);
      found = { delayMs: undefined, streak: 0, changedAtMs: -Infinity };
    }
    known.set(gate, found);
    if (known.size > gatesMax) {
      known.delete(known.keys().next().value!);
      evicted.add(1);
    }
    return found;
  }

  function set(gate: string, state: Known, delayMs: number, why: string): void {
    const before = state.delayMs;
    state.delayMs = delayMs;
    state.streak = 0;
    logger.debug("the delay of a gate changed", { gate, delayMs, before, why });
    queue.setGate(gate, { delayMs }).catch((error: unknown) => {
      state.delayMs = before;
      logger.warn("the delay of a gate could not be stored", { error, gate, delayMs });
    });
  }

  return {
    good(gate, { floorMs }) {
      const state = knownOf(gate);
      if (++state.streak < streakLength) return;
      const { delayMs } = state;
      if (delayMs === undefined || delayMs <= floorMs) return void (state.streak = 0);
      changes.shorter.add(1);
      set(gate, state, Math.max(floorMs, Math.floor(delayMs * shorten)), "good answers in a row");
    },

    slowDown(gate, bounds, { retryAfterMs, startedAtMs, nowMs }) {
      const state = knownOf(gate);
      state.streak = 0;
      if (retryAfterMs !== undefined && retryAfterMs > 0) {
        changes.blocked.add(1);
        const forMs = Math.min(blockMsMax, Math.ceil(retryAfterMs));
        logger.debug("a gate is blocked", { gate, forMs });
        queue.block(gate, forMs).catch((error: unknown) => {
          logger.warn("the block of a gate could not be stored", { error, gate, forMs });
        });
      }
      if (!bounds || startedAtMs < state.changedAtMs) return;
      state.changedAtMs = nowMs;
      const longer = Math.max((state.delayMs ?? 0) * lengthen, firstDelayMs, bounds.floorMs);
      const delayMs = Math.min(bounds.ceilingMs, longer);
      if (delayMs <= (state.delayMs ?? 0)) return;
      changes.longer.add(1);
      set(gate, state, delayMs, "its host asked for fewer requests, or did not answer");
    },

    follow(gate, { delayMs }) {
      const found = known.get(gate);
      if (found && found.delayMs !== delayMs) changed.add(1);
      if (found) found.delayMs = delayMs;
      else if (delayMs > 0) knownOf(gate).delayMs = delayMs;
    },
  };
}

function createCounters(metrics: Metrics, size: () => number) {
  const changes = metrics.counter({
    name: "forager_gate_changes_total",
    help: "Changes of gates made because of answers of their hosts.",
    labels: ["change"],
  });
  const { requests, invalidations, entries } = cacheMetrics(metrics);
  metrics.onSnapshot(() => entries.of("gates").set(size()));
  const change = (name: string): Counter => changes.of(name);
  return {
    changes: { shorter: change("shorter"), longer: change("longer"), blocked: change("blocked") },
    hits: requests.of("gates", "hit"),
    misses: requests.of("gates", "miss"),
    evicted: invalidations.of("gates", "evicted"),
    changed: invalidations.of("gates", "changed"),
  };
}
