/**
 * Our queue, on any backend, adding and draining tasks that do nothing. How it is drained can be
 * made worse on purpose, one technique at a time, to show what each of them is worth.
 */
import { strictEqual } from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Side } from "../frame/side.ts";
import { inBatches, pageUrl } from "../pages.ts";
import { fillOnce, fillSide, kinds, openSide } from "./open-side.ts";
import type { BenchQueue, PageTask, QueueInput } from "./open-side.ts";

export interface EnqueueInput extends QueueInput {
  readonly tasks: number;
  /** How many go into one `add`. */
  readonly batch: number;
}

/** Measures adding `tasks` tasks: the peers' payload, and with it a unique key. */
export const enqueue: Side<EnqueueInput> = async (input, context) => {
  const queue = await openSide(input, context);
  const batches = inBatches(pageTasks(input.tasks), input.batch);
  return {
    async run() {
      for (const batch of batches) await queue.add(batch);
    },
    async check() {
      strictEqual((await queue.stats()).states.pending, input.tasks, "tasks stored");
    },
  };
};

export interface AddSingleInput extends QueueInput {
  readonly tasks: number;
  /** How many calls are under way at once. */
  readonly calls: number;
}

/** Measures adding tasks one per call. The first one creates the lane, before the clock starts. */
export const addSingle: Side<AddSingleInput> = async (input, context) => {
  const queue = await openSide(input, context);
  const [first, ...tasks] = pageTasks(input.tasks + 1);
  await queue.add([first!]);
  return {
    async run() {
      const left = tasks.values();
      const addLoop = async () => {
        for (const task of left) await queue.add([task]);
      };
      await Promise.all(Array.from({ length: input.calls }, addLoop));
    },
    async check() {
      strictEqual((await queue.stats()).states.pending, input.tasks + 1, "tasks stored");
    },
  };
};

export interface DrainInput extends QueueInput {
  readonly tasks: number;
  /** How many one claim takes. */
  readonly limit: number;
  /** A batch's finishes as one call, as a call each in one tick, or a call each, one by one. */
  readonly finishes: "together" | "in one tick" | "one by one";
  readonly keepsOpen: boolean;
  /** Claims beside each other, each by a worker of its own; of more than one nothing is reopened. */
  readonly loops?: number;
  /** Of the processes that drain one queue, the first fills it; alone it is 0. */
  readonly process: number;
}

/**
 * Measures from the first claim until everything is stored as done. `held` is how many finishes
 * of this process counted: over all processes that must be each task, once.
 */
export const drain: Side<DrainInput> = async (input, context) => {
  await fillOnce(context, input.process === 0, () =>
    fillSide(input, context, async (queue) => {
      for (const batch of inBatches(pageTasks(input.tasks), 10_000)) await queue.add(batch);
    }),
  );
  let queue = await openSide(input, context);
  let held = 0;
  let handled = 0;
  const claim = (loop: number) =>
    queue.claim({ worker: `process-${input.process}-${loop}`, kinds, limit: input.limit });
  const reopened = async () => {
    await queue[Symbol.asyncDispose]();
    queue = await openSide(input, context);
  };
  const handle = async () => void handled++;
  async function drainLoop(loop: number): Promise<void> {
    for (let { leases } = await claim(loop); leases.length > 0;) {
      await Promise.all(leases.map(handle));
      // What follows is asked for in the same tick, so it goes into the same commit.
      const finished = finishAll(queue, leases, input.finishes);
      const next = input.keepsOpen && input.finishes !== "one by one" ? claim(loop) : undefined;
      const counted = await finished;
      held += counted;
      if (!input.keepsOpen) await reopened();
      ({ leases } = await (next ?? claim(loop)));
    }
  }
  return {
    async run() {
      await Promise.all(Array.from({ length: input.loops ?? 1 }, (_, loop) => drainLoop(loop)));
      return { held };
    },
    async check() {
      strictEqual(held, handled, "finishes that counted");
      // The other processes end in the same moment, but not before us; a disk may keep them waiting.
      for (let tries = 0; tries < 600 && (await queue.stats()).states.running > 0; tries++) {
        await wait(100);
      }
      const { pending, running, done } = (await queue.stats()).states;
      strictEqual(pending, 0, "tasks still pending");
      strictEqual(running, 0, "tasks still running");
      strictEqual(done, input.tasks, "tasks stored as done");
      if (input.process === 0) strictEqual(await doneRows(queue), input.tasks, "rows done at once");
    },
  };
};

type Leases = Awaited<ReturnType<BenchQueue["claim"]>>["leases"];

async function finishAll(
  queue: BenchQueue,
  leases: Leases,
  how: DrainInput["finishes"],
): Promise<number> {
  const finishes = leases.map(({ id, token }) => ({
    id,
    token,
    outcome: { kind: "done" } as const,
  }));
  const answers = [];
  switch (how) {
    case "together":
      answers.push(...(await queue.finish(finishes)));
      break;
    case "in one tick":
      answers.push(...(await Promise.all(finishes.map((one) => queue.finish([one])))).flat());
      break;
    case "one by one":
      for (const one of finishes) answers.push(...(await queue.finish([one])));
  }
  return answers.filter(({ status }) => status === "done").length;
}

/** Counts the tasks themselves, those that were claimed once and are done. */
async function doneRows(queue: BenchQueue): Promise<number> {
  let count = 0;
  for (let afterId = 0; ;) {
    const tasks = await queue.browse({ states: ["done"], afterId, limit: 10_000 });
    count += tasks.filter(({ used }) => used === 1).length;
    if (tasks.length === 0) return count;
    afterId = tasks.at(-1)!.id;
  }
}

const pageTasks = (count: number): readonly PageTask[] =>
  Array.from({ length: count }, (_, index) => {
    const url = pageUrl(index);
    return { kind: "page", key: url, payload: { url } };
  });
