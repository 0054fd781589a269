/**
 * One process of a race: claims, works and finishes until the parent stops or kills it. The first
 * argument has its settings as JSON; see `RaceWorkerSettings`.
 */
import { openSync } from "node:fs";
import { sleep, systemClock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import { createSeededRandom, systemRandom } from "../../base/random.ts";
import { createQueue } from "../create-queue.ts";
import { createRaceInFlight } from "./race-in-flight.ts";
import { createRaceLog } from "./race-log.ts";
import { openSharedStore, type SharedStore } from "./race-store.ts";

export interface RaceWorkerSettings {
  readonly worker: string;
  readonly store: SharedStore;
  readonly logFile: string;
  readonly seed: number;
  readonly leaseMs: number;
  readonly slots: number;
}

const settings = JSON.parse(process.argv[2] ?? "") as RaceWorkerSettings;
const { worker, leaseMs, slots } = settings;

let isStopping = false;
process.on("message", () => (isStopping = true));
process.on("disconnect", () => process.exit(1)); // end with the parent

const queue = createQueue({
  store: await openSharedStore(settings.store),
  clock: systemClock,
  random: systemRandom,
});
const log = createRaceLog(openSync(settings.logFile, "a"), worker);
const random = createSeededRandom(settings.seed);
const inFlight = createRaceInFlight({ queue, clock: systemClock, random, log, leaseMs });

let isDraining: boolean = false;
while (!isStopping || inFlight.slots() > 0) {
  const free: number =
    isStopping || (isDraining && inFlight.slots() > 0) ? 0 : slots - inFlight.slots();
  if (free <= 0) {
    await inFlight.changed();
    continue;
  }
  const sentMs = machineMonotonicMs();
  const claimed = await queue.claim({ worker, kinds: ["race"], limit: free, burst: 4, leaseMs });
  for (const { id, token, isSuspect } of claimed.leases) {
    log({ event: "claimed", id, token, isSuspect, sentMs });
  }
  inFlight.take(claimed.leases, sentMs);
  isDraining = claimed.hasSuspect;
  if (claimed.leases.length === 0) {
    // Wake exactly on time: a gate that opens too early is noticed only if a worker claims just
    // then.
    const wakeMs = (await queue.wakeInMs(["race"])) ?? Infinity;
    await sleep(systemClock, Math.min(wakeMs, 1 + random.below(9)));
  }
}
await queue[Symbol.asyncDispose]();
process.exit(0);
