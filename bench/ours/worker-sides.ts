/** Tasks through the worker, beside the same tasks through the queue alone. */
import { strictEqual } from "node:assert/strict";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openQueue } from "../../src/app/index.ts";
import { createQueue, type Queue, type TaskInput } from "../../src/queue/index.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { createWorker, defineHandler, type Worker } from "../../src/worker/index.ts";
import type { Side, SideContext } from "../frame/side.ts";
import { pageUrl } from "../pages.ts";
import { addressOf, benchDurability, type QueueInput } from "./open-side.ts";

export interface WorkerInput extends QueueInput {
  readonly tasks: number;
  readonly concurrency: number;
}

export const anything = { parse: (value: unknown) => value };

/** Opened once: what one process has is what a worker has. */
export async function openBench({ address }: QueueInput, context: SideContext): Promise<Queue> {
  if (!address.startsWith("postgres:")) {
    return openQueue(addressOf({ address }, context), { durability: benchDurability });
  }
  const { openPostgresQueueStore } =
    await import("../../src/queue/adapters/postgres/postgres-queue-store.ts");
  const store = await openPostgresQueueStore({ url: address, schema: basename(context.folder) });
  return createQueue({ store, clock: systemClock, random: systemRandom });
}

export async function fill(
  queue: Queue,
  count: number,
  more: (at: number) => Partial<TaskInput> = () => ({}),
) {
  // Made batch by batch: a million at once would leave a heap that V8 is slow to give back.
  for (let from = 0; from < count; from += 10_000) {
    const length = Math.min(10_000, count - from);
    const tasks = Array.from({ length }, (_, at): TaskInput => {
      const url = pageUrl(from + at);
      return { kind: "page", key: url, payload: { url }, ...more(from + at) } as TaskInput;
    });
    await queue.add(tasks);
  }
}

export async function drained(worker: Worker): Promise<void> {
  await worker.start();
  await worker.ended;
  await worker.stop();
}

/** What the queue alone does: a batch's finishes and the next claim in one commit. */
export const queueAlone: Side<WorkerInput> = async (input, context) => {
  const queue = await openBench(input, context);
  await fill(queue, input.tasks);
  return {
    async run() {
      const claim = () =>
        queue.claim({ worker: "bench", kinds: ["page"], limit: input.concurrency });
      for (let { leases } = await claim(); leases.length > 0;) {
        const outcome = { kind: "done" } as const;
        const finished = queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
        const next = claim();
        await finished;
        ({ leases } = await next);
      }
    },
    check: () => checkDone(queue, input.tasks),
  };
};

/** The same through the worker, with a handler that does nothing. */
export const throughWorker: Side<WorkerInput> = async (input, context) => {
  const queue = await openBench(input, context);
  await fill(queue, input.tasks);
  let calls = 0;
  const handlers = [defineHandler("page", anything, async () => void calls++)];
  const { concurrency } = input;
  const worker = createWorker({ queue, name: "bench", handlers, concurrency, drain: true });
  return {
    run: () => drained(worker),
    async check() {
      strictEqual(calls, input.tasks, "handlers called");
      await checkDone(queue, input.tasks);
    },
  };
};

/** Tasks that sleep 100 ms. */
export const sleepers: Side<WorkerInput> = async (input, context) => {
  const queue = await openBench(input, context);
  await fill(queue, input.tasks);
  const handlers = [defineHandler("page", anything, () => wait(100))];
  const { concurrency } = input;
  const worker = createWorker({ queue, name: "bench", handlers, concurrency, drain: true });
  return { run: () => drained(worker), check: () => checkDone(queue, input.tasks) };
};

/** From `stop` until all that was not begun is back. */
export const release: Side<WorkerInput> = async (input, context) => {
  const queue = await openBench(input, context);
  // Runs of slow gates: one task of each begins, the rest waits in the worker.
  const gates = 50;
  for (let at = 0; at < gates; at++) await queue.setGate(`h${at}.example`, { delayMs: 500 });
  await fill(queue, input.tasks, (at) => ({ gate: `h${at % gates}.example` }));
  const handlers = [
    defineHandler("page", anything, ({ signal }) => wait(60_000, undefined, { signal })),
  ];
  const worker = createWorker({ queue, name: "bench", handlers, concurrency: 60, graceMs: 60_000 });
  await worker.start();
  while (worker.look().inFlight < input.tasks || worker.look().atWork < gates) await wait(10);
  return {
    async run() {
      const waiting = input.tasks - worker.look().atWork;
      const startMs = performance.now();
      void worker.stop();
      while ((await queue.stats()).states.pending < waiting) await wait(5);
      return { releaseMs: performance.now() - startMs };
    },
    check: () => worker.abort(),
  };
};

export async function checkDone(queue: Queue, tasks: number): Promise<void> {
  const { pending, running, done } = (await queue.stats()).states;
  strictEqual(pending + running, 0, "tasks left");
  strictEqual(done, tasks, "tasks stored as done");
}
