import type { Clock } from "../../../base/clock.ts";
import type { Output } from "../../terminal/output.ts";
import type { Keys } from "./keys.ts";
import { describeScreen, extentOf, type TopLook } from "./top-screen.ts";
import { firstState, press, type ViewName } from "./top-state.ts";

interface KeyedWatch {
  readonly look: (view: ViewName) => Promise<TopLook>;
  readonly keys: Keys;
  readonly out: Output;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** How long to wait for a key while paused. */
const idleMs = 60_000;

/** Refreshes the data periodically, and shows what the user chooses with keys. */
export async function watchWithKeys(options: KeyedWatch): Promise<void> {
  const { look, keys, out, clock, everyMs, signal } = options;
  let state = firstState;
  let found = await look(state.view);
  let lookedMs = clock.monotonicMs();
  while (!signal.aborted) {
    const shown = { look: found, state };
    out.frame(found, {
      screen: (layout) => describeScreen(shown.look, shown.state, layout),
      line: () => "", // not used: this is a terminal
    });
    const dueMs = Math.max(0, lookedMs + everyMs - clock.monotonicMs());
    const key = await keys.next(state.isPaused ? idleMs : dueMs);
    const before = state;
    if (key !== undefined) state = press(state, key, extentOf(found, state));
    if (state.isEnded) return;
    const isDue = !state.isPaused && clock.monotonicMs() - lookedMs >= everyMs;
    if (isDue || state.view !== before.view) {
      found = await look(state.view);
      lookedMs = clock.monotonicMs();
    }
  }
}
