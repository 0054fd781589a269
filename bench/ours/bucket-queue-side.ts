/**
 * One node of a fleet on an S3 bucket. Every node adds its share and works on whatever it gets:
 * what it finished, what it adds and its next claim are asked for in one tick, as a worker does.
 */
import { strictEqual } from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { createId } from "../../src/base/ids.ts";
import { machineMonotonicMs } from "../../src/base/machine-clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { retry } from "../../src/base/retry.ts";
import { createS3Bucket } from "../../src/bucket/adapters/s3/s3-bucket.ts";
import type { S3Place } from "../../src/bucket/adapters/s3/s3-client.ts";
import { bucketOperations, createMeter, type Meter } from "../../src/bucket/index.ts";
import { openBucketQueueStore } from "../../src/queue/adapters/bucket/bucket-queue-store.ts";
import { createQueue, createWaker } from "../../src/queue/index.ts";
import type { Measured, Side } from "../frame/side.ts";
import { fillOnce } from "./open-side.ts";

export interface BucketNodeInput {
  readonly place: S3Place;
  readonly node: number;
  readonly nodes: number;
  /** Over all nodes. */
  readonly tasks: number;
  /** How many one claim takes, and about as many are added with it. */
  readonly batch: number;
}

type Kinds = { page: { readonly atMs: number } };
const kinds = ["page"] as const;

export const bucketNode: Side<BucketNodeInput> = async (input, context) => {
  const { place, node, nodes, tasks, batch } = input;
  const [clock, random] = [systemClock, systemRandom];
  const meter = createMeter();
  const bucket = meter.meter(createS3Bucket({ place, clock, random }), "queue");
  const open = () =>
    openBucketQueueStore({
      bucket,
      prefix: "queue/",
      session: createId(random),
      clock,
      random,
      probe: "daily",
    });
  // The first one makes the queue and proves the store; both are done once in its life.
  await fillOnce(context, node === 0, async () => (await open())[Symbol.asyncDispose]());
  const store = await open();
  const queue = createQueue<Kinds>({ store, clock, random });
  const worker = `node-${node}`;
  const own = Math.floor(tasks / nodes) + (node < tasks % nodes ? 1 : 0);
  const opening = meter.usage();
  const before = { requests: sumOf(opening, "requests"), dollars: sumOf(opening, "dollars") };
  const waitedMs: number[] = [];
  let added = 0;
  let held = 0;

  const addSome = async (count: number) => {
    const size = Math.min(count, own - added);
    if (size <= 0) return;
    const first = added;
    added += size;
    const atMs = machineMonotonicMs();
    const batchOf = Array.from({ length: size }, (_, index) => ({
      kind: "page" as const,
      key: `${node}/${first + index}`,
      payload: { atMs },
    }));
    await persist(() => queue.add(batchOf));
  };

  return {
    async run() {
      using waker = createWaker({ queue, kinds, worker });
      let leases: readonly { id: number; token: number; payload: Kinds["page"] }[] = [];
      for (;;) {
        const mark = waker.mark();
        const outcome = { kind: "done" } as const;
        const done = leases.map(({ id, token }) => ({ id, token, outcome }));
        const finished = persist(() => queue.finish(done));
        const adding = addSome(batch);
        const requestId = createId(random);
        const claimed = persist(() => queue.claim({ worker, kinds, limit: batch, requestId }));
        held += (await finished).filter(({ status }) => status === "done").length;
        await adding;
        ({ leases } = await claimed);
        const startedMs = machineMonotonicMs();
        for (const { payload } of leases) waitedMs.push(startedMs - payload.atMs);
        if (leases.length > 0 || added < own) continue;
        const { pending, running } = (await persist(() => queue.stats())).states;
        if (pending + running === 0) break;
        // Another may just have finished the last of them, which wakes nobody.
        await waker.wait(mark, AbortSignal.timeout(500)).catch(() => {});
      }
      return {
        held,
        requests: sumOf(meter.usage(), "requests") - before.requests,
        dollars: sumOf(meter.usage(), "dollars") - before.dollars,
        ...countWaits(waitedMs),
      };
    },
    async check() {
      for (let tries = 0; tries < 500; tries++) {
        if ((await queue.stats()).states.done === tasks) break;
        await wait(10);
      }
      strictEqual((await queue.stats()).states.done, tasks, "tasks stored as done");
      await queue[Symbol.asyncDispose]();
    },
  };
};

/** A side can only return numbers: how many waits ended in each of these steps. */
const waitStepMs = 20;
const countWaits = (waitedMs: readonly number[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const ms of waitedMs) {
    const name = `wait ${Math.ceil(ms / waitStepMs) * waitStepMs}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

/** Of all waits of all nodes together, rounded up to the next step. */
export function waitPercentileMs(nodes: readonly Measured[], percent: number): number {
  const counts = nodes
    .flatMap((measured) => Object.entries(measured))
    .filter(([name]) => name.startsWith("wait "))
    .map(([name, count]) => ({ ms: Number(name.slice("wait ".length)), count }))
    .sort((a, b) => a.ms - b.ms);
  let left = (counts.reduce((sum, { count }) => sum + count, 0) * percent) / 100;
  return counts.find(({ count }) => (left -= count) <= 0)?.ms ?? 0;
}

/** As a worker does it: what is unavailable is asked again, with the same words. */
const persist = <T>(work: () => Promise<T>): Promise<T> =>
  retry(work, {
    clock: systemClock,
    random: systemRandom,
    attempts: 20,
    delayMs: 20,
    delayMsMax: 500,
  });

const sumOf = (usage: ReturnType<Meter["usage"]>, of: "requests" | "dollars"): number =>
  bucketOperations.reduce((sum, name) => sum + usage[name][of], 0);
