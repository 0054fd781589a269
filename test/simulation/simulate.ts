import { sleep } from "../../src/base/clock.ts";
import { AppError } from "../../src/base/app-error.ts";
import { requireFitBucket } from "../../src/bucket/index.ts";
import { runLeases, Violation } from "./lease-run.ts";
import { runSharedObject } from "./shared-run.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

export interface SeedResult {
  readonly seed: number;
  readonly violation: string | undefined;
  readonly trace: readonly string[];
  readonly faultCounts: ReadonlyMap<string, number>;
  readonly moments: number;
}

/** Runs the world of one seed to its end. The same seed gives the same trace, line by line. */
export async function simulate(seed: number, options: WorldOptions = {}): Promise<SeedResult> {
  const world = createWorld(seed, options);
  const { trace, faultCounts, scheduler } = world;
  const end = (violation?: string): SeedResult => {
    if (violation) trace.push(violation);
    return { seed, violation, trace, faultCounts, moments: scheduler.moments() };
  };
  try {
    if (world.personality === "ignores-conditions") await expectRefusal(world);
    else if (seed % 2 === 0) await runLeases(world);
    else await runSharedObject(world);
    return end();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return end(error.message);
  }
}

/** O10: nobody starts on a store that ignores conditions. */
async function expectRefusal(world: World): Promise<void> {
  const node = world.boot("a");
  const { random } = world;
  let outcome = "nothing";
  const probe = async () => {
    for (;;) {
      try {
        await requireFitBucket({ bucket: node.bucket, clock: node.clock, random });
        outcome = "trusted";
        return;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        outcome = error.code;
        if (error.kind !== "unavailable") return;
        await sleep(node.clock, 1_000); // too bad a day even for a verdict
      }
    }
  };
  void probe();
  await world.scheduler.runUntil(600_000, () => {});
  world.tell(`the probe says ${outcome}`);
  if (outcome === "bucket_unfit") world.note("refusedStore");
  else throw new Violation(`O10: a store that ignores conditions is ${outcome}`);
}
