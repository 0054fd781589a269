/**
 * One process of a fleet on a bucket: claims, works and finishes until it is told to stop, is
 * stopped for a while, or is killed. Its settings are JSON in the first argument.
 */
import { openSync } from "node:fs";
import { systemClock } from "../../../src/base/clock.ts";
import { machineMonotonicMs } from "../../../src/base/machine-clock.ts";
import { createSeededRandom } from "../../../src/base/random.ts";
import { createWaker } from "../../../src/queue/index.ts";
import { createRaceInFlight } from "../../../src/queue/testing/race-in-flight.ts";
import { createRaceLog } from "../../../src/queue/testing/race-log.ts";
import { openFleetQueue, type FleetQueueOptions } from "./fleet-queue.ts";

export interface FleetWorkerSettings extends FleetQueueOptions {
  readonly worker: string;
  readonly logFile: string;
  readonly seed: number;
  readonly leaseMs: number;
}

const slots = 8;
const kinds = ["race"];
const settings = JSON.parse(process.argv[2] ?? "") as FleetWorkerSettings;
const { worker, leaseMs } = settings;

let isStopping = false;
const stopping = new AbortController();
process.on("message", () => {
  isStopping = true;
  stopping.abort();
});
process.on("disconnect", () => process.exit(1)); // the parent is gone: nobody reads the log

const queue = await openFleetQueue(settings);
const log = createRaceLog(openSync(settings.logFile, "a"), worker);
const random = createSeededRandom(settings.seed);
const inFlight = createRaceInFlight({ queue, clock: systemClock, random, log, leaseMs });
const waker = createWaker({ queue, kinds, worker });

let isDraining: boolean = false;
while (!isStopping || inFlight.slots() > 0) {
  const free: number =
    isStopping || (isDraining && inFlight.slots() > 0) ? 0 : slots - inFlight.slots();
  if (free <= 0) {
    await inFlight.changed();
    continue;
  }
  const mark = waker.mark();
  const sentMs = machineMonotonicMs();
  const claimed = await queue.claim({ worker, kinds, limit: free, burst: 8, leaseMs });
  for (const { id, token, isSuspect } of claimed.leases) {
    log({ event: "claimed", id, token, isSuspect, sentMs });
  }
  inFlight.take(claimed.leases, sentMs);
  isDraining = claimed.hasSuspect;
  if (claimed.leases.length > 0) continue;
  await waker.wait(mark, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
}
await queue[Symbol.asyncDispose]();
process.exit(0);
