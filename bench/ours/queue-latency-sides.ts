/**
 * From `add` to the start of the task, on any backend: in one process, and from one process to
 * another. One task at a time: the next is added when the last is done and the waiter sleeps.
 */
import { strictEqual } from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { machineMonotonicMs } from "../../src/base/machine-clock.ts";
import { createWaker } from "../../src/queue/index.ts";
import { percentile } from "../frame/statistics.ts";
import type { Side } from "../frame/side.ts";
import { fillOnce, fillSide, kinds, openSide } from "./open-side.ts";
import type { BenchQueue, QueueInput } from "./open-side.ts";

export interface LatencyInput extends QueueInput {
  readonly samples: number;
}

/** Samples that are thrown away, for code that is compiled by then. */
const warmUps = 50;

/** One process adds and waits. */
export const inProcess: Side<LatencyInput> = async (input, context) => {
  const queue = await openSide(input, context);
  return {
    async run() {
      const [, measured] = await Promise.all([adding(queue, input), waiting(queue, input)]);
      return measured;
    },
    check: () => allDone(queue, input),
  };
};

/** Waits for what `adder` adds from another process. */
export const waiter: Side<LatencyInput> = async (input, context) => {
  await fillOnce(context, true, () => fillSide(input, context, async () => {}));
  const queue = await openSide(input, context);
  return { run: () => waiting(queue, input), check: () => allDone(queue, input) };
};

export const adder: Side<LatencyInput> = async (input, context) => {
  await fillOnce(context, false, async () => {});
  const queue = await openSide(input, context);
  return { run: () => adding(queue, input) };
};

async function adding(queue: BenchQueue, { samples }: LatencyInput): Promise<void> {
  for (let index = 0; index < samples + warmUps; index++) {
    // Uneven, so that no poll or timer gets into step with it.
    await wait(5 + Math.random() * 5);
    while ((await queue.stats()).states.done < index) await wait(5);
    await queue.add([{ kind: "page", payload: { url: `at:${machineMonotonicMs()}` } }]);
  }
}

/** Claims as a worker does; all processes of a machine read the same monotonic clock. */
async function waiting(queue: BenchQueue, { samples }: LatencyInput) {
  using waker = createWaker({ queue, kinds });
  const waitedMs: number[] = [];
  while (waitedMs.length < samples + warmUps) {
    const mark = waker.mark();
    const { leases } = await queue.claim({ worker: "waiter", kinds });
    const startedMs = machineMonotonicMs();
    for (const { id, token, payload } of leases) {
      waitedMs.push(startedMs - Number(payload.url.slice("at:".length)));
      await queue.finish([{ id, token, outcome: { kind: "done" } }]);
    }
    if (leases.length === 0) await waker.wait(mark);
  }
  const counted = waitedMs.slice(warmUps);
  return { p50Ms: percentile(counted, 50), p99Ms: percentile(counted, 99) };
}

async function allDone(queue: BenchQueue, { samples }: LatencyInput): Promise<void> {
  const { pending, running, done } = (await queue.stats()).states;
  strictEqual(done, samples + warmUps, "tasks done");
  strictEqual(pending + running, 0, "tasks left");
}
