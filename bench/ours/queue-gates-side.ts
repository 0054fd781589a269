/**
 * Our queue with many gates of limit 1, on any backend, worked by one process as a worker would:
 * a gate's run goes one after the other, the runs of all gates beside each other, each task is
 * finished as it ends, and free slots are claimed for at once.
 */
import { strictEqual } from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Side } from "../frame/side.ts";
import { inBatches } from "../pages.ts";
import { fillSide, kinds, openSide } from "./open-side.ts";
import type { BenchQueue, PageTask, QueueInput } from "./open-side.ts";

export interface GatesInput extends QueueInput {
  readonly gates: number;
  readonly tasksPerGate: number;
  readonly handlerMs: number;
  /** Runs beside each other, and the longest run. */
  readonly slots: number;
  readonly burst: number;
}

type Lease = Awaited<ReturnType<BenchQueue["claim"]>>["leases"][number];

/** Returns the most handlers of one gate that were ever at work at once, as they saw it. */
export const gates: Side<GatesInput> = async (input, context) => {
  await fillSide(input, context, async (queue) => {
    for (const batch of inBatches(gateByGate(input), 10_000)) await queue.add(batch);
  });
  const queue = await openSide(input, context);
  const meter = createMeter(input.handlerMs);
  let held = 0;

  async function work(run: readonly Lease[]): Promise<void> {
    const answers = [];
    for (const { id, token, gate } of run) {
      await meter.handle(gate);
      answers.push(queue.finish([{ id, token, outcome: { kind: "done" }, sinceStartMs: 0 }]));
    }
    // Not awaited, the next claim joins these in one commit.
    void Promise.all(answers).then((all) => {
      held += all.flat().filter(({ status }) => status === "done").length;
    });
  }

  return {
    async run() {
      let busy = 0;
      let ended = 0;
      let rouse = () => {};
      for (;;) {
        const seen = ended;
        const free = input.slots - busy;
        const { leases } =
          free === 0
            ? { leases: [] }
            : await queue.claim({ worker: "gates", kinds, limit: free, burst: input.burst });
        for (const run of runsOf(leases)) {
          busy += 1;
          void work(run).then(() => {
            busy -= 1;
            ended += 1;
            rouse();
          });
        }
        // A run that ended meanwhile may have opened its gate behind the claim: look again.
        if (ended === seen) {
          if (busy === 0) break;
          await new Promise<void>((resolve) => (rouse = resolve));
        }
        await nextTurn(); // the runs that end in the same tick are claimed for together
      }
      return { overlapMax: meter.overlapMax(), handlerMs: meter.meanMs() };
    },
    async check() {
      const total = input.gates * input.tasksPerGate;
      const { pending, running, done } = (await queue.stats()).states;
      strictEqual(pending, 0, "tasks still pending");
      strictEqual(running, 0, "tasks still running");
      strictEqual(done, total, "tasks stored as done");
      strictEqual(held, total, "finishes that counted");
    },
  };
};

/** A handler that waits without using the processor, and watches its gate. */
function createMeter(handlerMs: number) {
  const atWork = new Map<string, number>();
  let overlapMax = 0;
  let handled = 0;
  let totalMs = 0;
  return {
    async handle(gate: string): Promise<void> {
      const startedMs = performance.now();
      const now = (atWork.get(gate) ?? 0) + 1;
      atWork.set(gate, now);
      overlapMax = Math.max(overlapMax, now);
      await new Promise((resolve) => setTimeout(resolve, handlerMs));
      atWork.set(gate, atWork.get(gate)! - 1);
      handled += 1;
      totalMs += performance.now() - startedMs;
    },
    overlapMax: () => overlapMax,
    meanMs: () => totalMs / handled,
  };
}

function runsOf(leases: readonly Lease[]): Iterable<readonly Lease[]> {
  const runs = new Map<string, Lease[]>();
  for (const lease of leases) {
    const run = runs.get(lease.gate);
    if (run) run.push(lease);
    else runs.set(lease.gate, [lease]);
  }
  return runs.values();
}

const gateByGate = ({ gates, tasksPerGate }: GatesInput): readonly PageTask[] =>
  Array.from({ length: gates * tasksPerGate }, (_, index) => {
    const gate = `site-${Math.floor(index / tasksPerGate)}.example`;
    const url = `https://${gate}/page/${index}`;
    return { kind: "page", gate, key: url, payload: { url } };
  });
