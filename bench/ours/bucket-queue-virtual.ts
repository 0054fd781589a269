/** What a queue on a bucket costs where hardly anything happens, in virtual time. */
import { strictEqual } from "node:assert/strict";
import { sleep } from "../../src/base/clock.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { createTestClock, type TestClock } from "../../src/base/testing/test-clock.ts";
import {
  createMemoryBucket,
  type MemoryObject,
} from "../../src/bucket/adapters/memory/memory-bucket.ts";
import { bucketOperations, createMeter, type Meter } from "../../src/bucket/index.ts";
import { openBucketQueueStore } from "../../src/queue/adapters/bucket/bucket-queue-store.ts";
import { createQueue, createWaker, type Queue } from "../../src/queue/index.ts";

const hourMs = 3_600_000;
const monthHours = 730;
const kinds = ["page"] as const;

/**
 * Moves time in small steps. Calls of one turn of the event loop are joined, and turns are real:
 * in one large step virtual time would run ahead of them.
 */
async function pass(clock: TestClock, forMs: number, stepMs = 200): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += stepMs) {
    await clock.advance(Math.min(stepMs, forMs - passedMs));
    await nextTurn();
    await nextTurn();
  }
}
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface VirtualFleet {
  readonly clock: TestClock;
  readonly meter: Meter;
  /** Opens the queue as another node, whose requests are counted under its name. */
  readonly open: (node: string) => Promise<Queue>;
}

function createVirtualFleet(): VirtualFleet {
  const clock = createTestClock();
  const meter = createMeter();
  const objects = new Map<string, MemoryObject>();
  return {
    clock,
    meter,
    async open(node) {
      const random = createSeededRandom(node.length * 7 + node.charCodeAt(node.length - 1));
      const bucket = meter.meter(createMemoryBucket({ clock, objects }), node);
      const opened = openBucketQueueStore({ bucket, session: node, clock, random, probe: "daily" });
      await pass(clock, 5_000);
      return createQueue({ store: await opened, clock, random });
    },
  };
}

export interface IdleCost {
  readonly dollarsPerMonth: number;
  readonly requestsPerHour: number;
  /** The longest that new work waited for a node that nobody had told. */
  readonly foundMsMax: number;
}

/** One node waits for work as a worker does; then, now and then, another adds a task. */
export async function measureIdle(hours: number): Promise<IdleCost> {
  const { clock, meter, open } = createVirtualFleet();
  const idle = await open("idle");
  const foundMs: number[] = [];
  let addedMs = 0;
  const work = async (): Promise<never> => {
    using waker = createWaker({ queue: idle, kinds, worker: "idle", clock });
    for (;;) {
      const mark = waker.mark();
      const { leases } = await idle.claim({ worker: "idle", kinds, limit: 10 });
      for (const { id, token } of leases) {
        foundMs.push(clock.monotonicMs() - addedMs);
        await idle.finish([{ id, token, outcome: { kind: "done" } }]);
      }
      if (leases.length === 0) await waker.wait(mark);
    }
  };
  void work();
  await pass(clock, hourMs, 1_000); // whatever opening and looking around cost
  const before = meter.usage("idle");
  await pass(clock, hours * hourMs, 1_000);
  const after = meter.usage("idle");
  const difference = (of: "requests" | "dollars") =>
    bucketOperations.reduce((sum, name) => sum + after[name][of] - before[name][of], 0);
  strictEqual(after.putIfMatch.requests, before.putIfMatch.requests, "an idle node writes nothing");

  const other = await open("other");
  const samples = 40;
  for (let sample = 0; sample < samples; sample++) {
    await pass(clock, 60_000 + sample * 1_237, 1_000); // never in step with a poll
    addedMs = clock.monotonicMs();
    const adding = other.add([{ kind: "page", payload: null }]);
    await pass(clock, 30_000);
    await adding;
  }
  strictEqual(foundMs.length, samples, "tasks found");
  return {
    dollarsPerMonth: (difference("dollars") / hours) * monthHours,
    requestsPerHour: difference("requests") / hours,
    foundMsMax: Math.max(...foundMs),
  };
}

export interface LongTasksCost {
  /** Writes of a node in a third of a lease, while its tasks run. */
  readonly writesPerThird: number;
  readonly requestsPerTask: number;
}

/** Tasks that take ten minutes: what keeps their leases is one write for all that a node holds. */
export async function measureLongTasks(nodes: number, tasks: number): Promise<LongTasksCost> {
  const { clock, meter, open } = createVirtualFleet();
  const [leaseMs, workMs] = [60_000, 600_000];
  const queues: Queue[] = [];
  for (let index = 0; index < nodes; index++) queues.push(await open(`node-${index}`));
  const writesBefore = meter.usage().putIfMatch.requests;
  const adding = queues[0]!.add(
    Array.from({ length: tasks }, (_, index) => ({ kind: "page", key: `${index}`, payload: null })),
  );
  await pass(clock, 5_000);
  await adding;
  let held = 0;
  const live = async (queue: Queue, index: number) => {
    // Nodes do not beat in step.
    await sleep(clock, index * 1_700);
    const worker = `node-${index}`;
    const { leases } = await queue.claim({ worker, kinds, limit: tasks / nodes, leaseMs });
    const refs = leases.map(({ id, token }) => ({ id, token }));
    for (let passedMs = 0; passedMs + leaseMs / 3 < workMs; passedMs += leaseMs / 3) {
      await sleep(clock, leaseMs / 3);
      await queue.extend(refs, leaseMs);
    }
    await sleep(clock, leaseMs / 3);
    const outcome = { kind: "done" } as const;
    const answers = await queue.finish(refs.map((ref) => ({ ...ref, outcome })));
    held += answers.filter(({ status }) => status === "done").length;
  };
  const lives = Promise.all(queues.map(live));
  await pass(clock, workMs + 60_000);
  await lives;
  strictEqual(held, tasks, "tasks finished");
  const writes = meter.usage().putIfMatch.requests - writesBefore;
  const all = bucketOperations.reduce((sum, name) => sum + meter.usage()[name].requests, 0);
  // Beside the extensions there is one write of the adding, and a claim and a finish of each node.
  return {
    writesPerThird: (writes - 1 - nodes) / (nodes * (workMs / (leaseMs / 3))),
    requestsPerTask: all / tasks,
  };
}
