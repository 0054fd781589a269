import type { Clock } from "../../base/clock.ts";
import type { StoreTime } from "../../bucket/index.ts";

/**
 * What time it is for the ledger. Until the bucket was asked, what the wall clock shows. From then
 * on the bucket's time, carried on by the monotonic clock: steps of the wall clock change nothing
 * any more, and all nodes of a fleet agree. A wall clock that agrees with the bucket is believed
 * to the millisecond, because a store shows whole seconds only.
 */
export interface PhysicalTime {
  nowMs(): number;
  /** The wall clock minus the bucket's; undefined until it was measured. */
  offsetMs(): number | undefined;
  isChecked(): boolean;
  check(store: StoreTime): void;
}

/** Closer than this, a difference tells nothing. */
const agreesMs = 2_000;

/** `floorMs`: time cannot be before that, whatever a clock without a battery shows. */
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
