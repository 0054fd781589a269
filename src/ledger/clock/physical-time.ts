import type { Clock } from "../../base/clock.ts";
import type { StoreTime } from "../../bucket/index.ts";

/**
 * The ledger's time. Before the first answer of the bucket it is the wall clock. After that it is
 * the bucket's time, advanced by the monotonic clock: steps of the wall clock have no effect, and
 * all nodes of a fleet agree. If the wall clock agrees with the bucket, its milliseconds are used,
 * because a store shows whole seconds only.
 */
export interface PhysicalTime {
  nowMs(): number;
  /** The wall clock minus the bucket's clock; undefined until it was measured. */
  offsetMs(): number | undefined;
  isChecked(): boolean;
  check(store: StoreTime): void;
}

/** A smaller difference says nothing, because stores show whole seconds. */
const agreesMs = 2_000;

/** `floorMs`: time never starts before this, whatever a clock without a battery shows. */
export function createPhysicalTime(clock: Clock, floorMs = 0): PhysicalTime {
  let anchor: { readonly physicalMs: number; readonly monotonicMs: number } | undefined;
  let offsetMs: number | undefined;
  return {
    nowMs: () =>
      anchor
        ? Math.floor(anchor.physicalMs + (clock.monotonicMs() - anchor.monotonicMs))
        : Math.max(clock.nowMs(), floorMs),
    offsetMs: () => offsetMs,
    isChecked: () => anchor !== undefined,
    check({ earliestMs, latestMs }) {
      const wallMs = clock.nowMs();
      const nearestMs = Math.min(Math.max(wallMs, earliestMs), latestMs);
      offsetMs = wallMs - nearestMs;
      const isTrusted = Math.abs(offsetMs) <= agreesMs;
      anchor = {
        physicalMs: isTrusted ? wallMs : (earliestMs + latestMs) / 2,
        monotonicMs: clock.monotonicMs(),
      };
    },
  };
}
