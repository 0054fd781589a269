import { sleep } from "../../base/clock.ts";
import type { Check } from "./check.ts";

const yearMin = 2025; // the first release: an earlier date means a machine without battery or network time
const yearMax = 2100;
const sampleMs = 100;
const driftMsMax = 50;

/** Leases and the order of writes depend on the wall clock, so a wrong clock does harm. */
export const checkClock: Check = {
  name: "clock",
  async run({ clock, signal }) {
    const year = new Date(clock.nowMs()).getUTCFullYear();
    const advice = "turn on time synchronisation (on Debian: apt install systemd-timesyncd)";
    if (year < yearMin || year > yearMax) {
      return { state: "fail", detail: `it is not the year ${year}`, advice };
    }
    const wallStartMs = clock.nowMs();
    const startMs = clock.monotonicMs();
    await sleep(clock, sampleMs, signal);
    const passedMs = clock.monotonicMs() - startMs;
    const driftMs = Math.round(clock.nowMs() - wallStartMs - passedMs);
    if (Math.abs(driftMs) > driftMsMax) {
      const detail = `the wall clock moved ${driftMs} ms against the steady one in ${sampleMs} ms`;
      return { state: "warn", detail, advice };
    }
    return { state: "ok", detail: new Date(clock.nowMs()).toISOString() };
  },
};
