import { expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createMetrics } from "../base/metrics.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock, type TestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket, type MemoryObject } from "../bucket/adapters/memory/memory-bucket.ts";
import { bucketOperations, createMeter } from "../bucket/index.ts";
import {
  createHeartbeatSender,
  createFollower,
  openDesiredObject,
  desiredInBucket,
  desiredInLedger,
} from "../fleet/index.ts";
import { sampleHeartbeat } from "../fleet/testing/sample-heartbeat.ts";
import { openTestLedger } from "../ledger/testing/test-ledger.ts";
import { createNodeObserver } from "../observe/index.ts";
import { openBucketQueueStore } from "../queue/adapters/bucket/bucket-queue-store.ts";
import { createQueue } from "../queue/index.ts";
import { createWorker, defineHandler } from "../worker/index.ts";
import { keepSynced } from "./owner/keep-synced.ts";

const hourMs = 3_600_000;
const monthHours = 730;
const hours = 2;
const peers = 3;

/** In small steps: what joins the calls of one turn of the event loop needs real turns. */
async function pass(clock: TestClock, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += 1_000) {
    await clock.advance(1_000);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

test("B20: a node at rest costs at most $0.50 a month in all: queue, heartbeats, desired state, ledger", async () => {
  const clock = createTestClock();
  const meter = createMeter();
  const objects = new Map<string, MemoryObject>();
  const bucketOf = (caller: string) => meter.meter(createMemoryBucket({ clock, objects }), caller);
  const seeds = { next: 1 };
  const createRandom = () => createSeededRandom(seeds.next++);
  const openQueue = async (caller: string) => {
    const random = createRandom();
    const opening = openBucketQueueStore({
      bucket: bucketOf(caller),
      session: caller,
      clock,
      random,
      probe: "daily",
    });
    await pass(clock, 5_000);
    return createQueue({ store: await opening, clock, random });
  };

  /** Gossip is off: all that a node learns it learns by the bucket. */
  const startMember = async (name: string) => {
    const random = createRandom();
    const ledger = await openTestLedger({ clock, random });
    const bucket = bucketOf(`${name} ledger`);
    const sync = ledger.withBucket(bucket);
    const object = openDesiredObject({
      bucket: bucketOf(`${name} desired`),
      session: name,
      clock,
      random,
    });
    const parts = [
      keepSynced({ sync, unpublished: () => 0, isFree: false, clock, random, log: silentLogger }),
      createFollower({
        node: () => ledger.node(),
        sources: [desiredInLedger(ledger), desiredInBucket(object)],
        apply: async () => ({ what: "", faults: [] }),
        clock,
        random,
        log: silentLogger,
      }),
      createHeartbeatSender({
        read: async () => ({ ...sampleHeartbeat, atMs: clock.nowMs() }),
        writeHead: (said) => sync.writeHeartbeat({ addresses: [], beat: said }),
        clock,
        log: silentLogger,
      }),
    ];
    for (const part of parts) {
      const starting = part.start();
      await pass(clock, 2_000);
      await starting;
    }
    return parts;
  };
  for (let peer = 1; peer <= peers; peer++) await startMember(`peer ${peer}`);
  await startMember("own");

  // As `forager work` has it: one process that works, and one that watches over it.
  const worker = createWorker({
    queue: await openQueue("own worker"),
    name: "all-1",
    handlers: [defineHandler("page", { parse: (value) => value as never }, () => {})],
    services: {},
    concurrency: 10,
    clock,
    random: createRandom(),
  });
  void worker.start();
  const observer = createNodeObserver({
    queue: await openQueue("own observer"),
    isCharged: () => true,
    clock,
    logger: silentLogger,
    metrics: createMetrics(),
    stallMs: () => 900_000,
    readMachine: async () => ({
      load1: 0,
      memoryBytes: { total: 1, free: 1 },
      diskBytes: undefined,
      networkBytes: undefined,
    }),
    workers: () => [],
    yields: () => [],
    heartbeats: async () => [],
    writeHeartbeat: async () => {},
  });
  await observer.start();

  await pass(clock, hourMs); // whatever beginning costs
  const callers = ["own ledger", "own desired", "own worker", "own observer"];
  const spent = () =>
    callers.map((caller) => {
      const usage = meter.usage(caller);
      return bucketOperations.reduce((sum, name) => sum + usage[name].dollars, 0);
    });
  const before = spent();
  const writes = () => callers.map((caller) => meter.usage(caller).putIfMatch.requests);
  const writesBefore = writes();
  await pass(clock, hours * hourMs);
  const monthly = spent().map((dollars, at) => ((dollars - before[at]!) / hours) * monthHours);
  const shown = Object.fromEntries(callers.map((caller, at) => [caller, monthly[at]!.toFixed(3)]));
  const total = monthly.reduce((sum, dollars) => sum + dollars, 0);
  expect(total, JSON.stringify(shown)).toBeLessThanOrEqual(0.5);
  // A11: only heartbeats are written while idle.
  expect(writes().map((count, at) => count - writesBefore[at]!)).toEqual([hours * 60, 0, 0, 0]);
});
