import { AppError } from "../../src/base/app-error.ts";
import { sleep } from "../../src/base/clock.ts";
import { openBucketQueueStore } from "../../src/queue/adapters/bucket/bucket-queue-store.ts";
import { Violation } from "./lease-run.ts";
import { runQueue } from "./queue-run.ts";
import type { SeedResult } from "./simulate.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

/** Runs a fleet on a queue to its end. The same seed gives the same trace, line by line. */
export async function simulateQueue(seed: number, options: WorldOptions = {}): Promise<SeedResult> {
  const world = createWorld(seed, options);
  const { trace, faultCounts, scheduler } = world;
  const end = (violation?: string): SeedResult => {
    if (violation) trace.push(violation);
    // What is still under way in there goes on for a moment: it is no part of the run.
    return { seed, violation, trace: [...trace], faultCounts, moments: scheduler.moments() };
  };
  try {
    if (world.personality === "ignores-conditions") await expectRefusal(world);
    else await runQueue(world);
    return end();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return end(error.message);
  }
}

/** Q9: no node opens a queue on a store that ignores conditions. */
async function expectRefusal(world: World): Promise<void> {
  const { random } = world;
  const { bucket, clock } = world.boot("a");
  let outcome = "nothing";
  const open = async () => {
    for (;;) {
      try {
        await openBucketQueueStore({ bucket, clock, random, prefix: "queue/" });
        outcome = "trusted";
        return;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        outcome = error.code;
        if (error.kind !== "unavailable") return;
        await sleep(clock, 1_000); // too bad a day even for a verdict
      }
    }
  };
  void open();
  await world.scheduler.runUntil(600_000, () => {});
  world.tell(`the queue says ${outcome}`);
  if (outcome === "bucket_unfit") world.note("refusedStore");
  else throw new Violation(`Q9: a store that ignores conditions is ${outcome}`);
}
