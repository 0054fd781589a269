import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { sleep } from "../../../base/clock.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { createTestClock, type TestClock } from "../../../base/testing/test-clock.ts";
import {
  createMemoryBucket,
  type MemoryObject,
} from "../../../bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../../../bucket/index.ts";
import type { Operation } from "../../operation.ts";
import { openBucketQueueStore } from "./bucket-queue-store.ts";

/** The busy node is near to the store, the other is not: it never has the last word by chance. */
const requestMs = { busy: 20, other: 50 };
/** One that is starved gets none of its writes in for as long as it tries, which is 15 seconds. */
const landedMsMax = 5_000;

/** A store that is far away: a request arrives after its way there. */
function farAway(bucket: Bucket, clock: TestClock, ms: number): Bucket {
  const after = async <T>(send: () => Promise<T>): Promise<T> => {
    await sleep(clock, ms);
    return send();
  };
  return {
    ...bucket,
    get: (key, more) => after(() => bucket.get(key, more)),
    put: (key, body) => after(() => bucket.put(key, body)),
    putIfAbsent: (key, body) => after(() => bucket.putIfAbsent(key, body)),
    putIfMatch: (key, body, etag) => after(() => bucket.putIfMatch(key, body, etag)),
  };
}

/** In small steps, because calls of one turn of the event loop are joined, and turns are real. */
async function passUntil(clock: TestClock, isOver: () => boolean, msMax: number): Promise<void> {
  for (let passedMs = 0; passedMs < msMax && !isOver(); passedMs += 1) {
    await clock.advance(1);
    await nextTurn();
    await nextTurn();
  }
}

const add = (key: string): Operation => ({
  op: "add",
  tasks: [
    {
      kind: "work",
      job: "default",
      gate: "",
      key,
      payload: "null",
      priority: 500,
      dueAtMs: 0,
      attemptsMax: 3,
    },
  ],
});

async function setUp(seed: number) {
  const clock = createTestClock();
  const objects = new Map<string, MemoryObject>();
  const fitAtMs = clock.nowMs();
  const body = Buffer.from(JSON.stringify({ format: 1, fitAtMs }));
  objects.set("probe/fit.json", { body, etag: "fit", modifiedAtMs: fitAtMs });
  const memory = createMemoryBucket({ clock, objects });
  const open = async (session: keyof typeof requestMs) => {
    const random = createSeededRandom(seed * 10 + session.length);
    const bucket = farAway(memory, clock, requestMs[session]);
    const opening = openBucketQueueStore({ bucket, session, clock, random, probe: "daily" });
    let isOpen = false;
    void opening.then(() => (isOpen = true));
    await passUntil(clock, () => isOpen, 5_000);
    return opening;
  };
  return { clock, open };
}

test.each([1, 2, 3, 4, 5, 6])(
  "a node that writes on and on cannot keep another out for long: seed %i",
  async (seed) => {
    const { clock, open } = await setUp(seed);
    const [busy, other] = [await open("busy"), await open("other")];
    let isOver = false;
    let written = 0;
    const work = (async () => {
      while (!isOver) await busy.commit([add(`busy ${written++}`)]);
    })();
    await passUntil(clock, () => false, 1_000);
    const landedMs: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const startMs = clock.monotonicMs();
      let hasLanded = false;
      const landing = other.commit([add(`other ${turn}`)]).then(() => (hasLanded = true));
      await passUntil(clock, () => hasLanded, 20_000);
      await landing;
      landedMs.push(clock.monotonicMs() - startMs);
    }
    expect(Math.max(...landedMs)).toBeLessThan(landedMsMax);
    const beforehand = written;
    await passUntil(clock, () => false, 2_000);
    isOver = true;
    await passUntil(clock, () => false, 1_000);
    await work;
    // Nor does it lose much by that.
    expect(written - beforehand).toBeGreaterThan(2_000 / requestMs.busy / 2);
  },
);
