/**
 * One worker process of the demo: claims visits and makes them until its parent says "stop", goes
 * away, or it is killed. Its settings are JSON in the first argument.
 */
import { systemClock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import { openQueue } from "../../app/index.ts";
import { createWaker } from "../../queue/index.ts";
import { leaseMs, slotsPerWorker, type DemoKinds } from "./scenario.ts";
import { createVisitHands } from "./visit-hands.ts";
import { createVisitLog } from "./visit-log.ts";

export interface DemoWorkerSettings {
  readonly worker: string;
  readonly address: string;
  readonly logFile: string;
}

const { worker, address, logFile } = JSON.parse(process.argv[2] ?? "") as DemoWorkerSettings;
const kinds = ["visit"] as const;
const clock = systemClock;

const stopping = new AbortController();
const { signal } = stopping;
process.on("message", () => stopping.abort());
process.on("disconnect", () => process.exit(1)); // the parent is gone: nobody would stop us
// Ctrl-C reaches all processes of a terminal, and it is the parent who says when to stop.
process.on("SIGINT", () => {});

const queue = await openQueue<DemoKinds>(address);
const log = createVisitLog(logFile, worker, (event) => process.send?.(event));
const hands = createVisitHands({ queue, clock, log, leaseMs, signal });
const waker = createWaker({ queue, kinds, worker, clock });

let isSuspectWaiting = false;
while (!signal.aborted) {
  const limit = slotsPerWorker - hands.slots();
  // A suspect is handed out alone: to empty hands, and beside it there is nothing else.
  const mustDrain = hands.slots() > 0 && (isSuspectWaiting || hands.holdsSuspect());
  if (limit <= 0 || mustDrain) {
    await hands.changed();
    continue;
  }
  const mark = waker.mark();
  const sentMs = machineMonotonicMs();
  const { leases, hasSuspect } = await queue.claim({ worker, kinds, limit, leaseMs });
  hands.take(leases, sentMs);
  isSuspectWaiting = hasSuspect;
  if (leases.length === 0 && !(hasSuspect && hands.slots() > 0)) {
    await waker.wait(mark, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
while (hands.slots() > 0) await hands.changed();
waker[Symbol.dispose]();
await queue[Symbol.asyncDispose]();
process.exit(0); // the keeper of leases would go on for ever
