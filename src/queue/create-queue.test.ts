import { describe, expect, expectTypeOf, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { afterTick } from "../base/tick.ts";
import { createMemoryQueueStore } from "./adapters/memory/memory-queue-store.ts";
import { createQueue } from "./create-queue.ts";
import type { Job } from "./job.ts";
import type { Operation } from "./operation.ts";
import type { Kinds, Queue, TaskInput } from "./queue.ts";
import { statusesOf } from "./testing/suite-fixture.ts";

describe("the queue in front of a store", () => {
  test("joins the calls of one turn into one commit", async () => {
    const { queue, commits } = setUp();
    await Promise.all([
      queue.add([{ kind: "work", key: "a" }]),
      queue.setGate("g", { limit: 2 }),
      queue.claim({ worker: "w", kinds: ["work"] }),
    ]);
    expect(commits.map((commit) => commit.map(({ op }) => op))).toEqual([
      ["add", "setGate", "claim"],
    ]);
  });

  test("checks input before it joins a commit: a bad call writes nothing and spoils nothing", async () => {
    const { queue, commits } = setUp();
    const [good, bad] = await Promise.allSettled([
      queue.add([{ kind: "work", key: "a" }]),
      queue.add([
        { kind: "work", key: "b" },
        { kind: "work", delayMs: -1 },
      ]),
    ]);
    expect(good).toMatchObject({ status: "fulfilled", value: [{ status: "added" }] });
    expect(bad).toMatchObject({ status: "rejected", reason: { code: "bad_delay" } });
    expect(commits).toHaveLength(1);
    expect(commits[0]).toHaveLength(1);
    expect(await queue.browse()).toHaveLength(1);
  });

  test("every bad call rejects, none throws where it stands", async () => {
    const { queue } = setUp();
    const calls = [
      queue.add([{ kind: "" }]),
      queue.claim({ worker: "w", kinds: [] }),
      queue.extend([], 0),
      queue.finish([{ id: 1, token: 1, outcome: { kind: "retry", delayMs: -1, reason: "" } }]),
      queue.release([{ id: 1, token: 1, sinceStartMs: -1 }]),
      queue.block("", 1),
      queue.block("g", Number.NaN),
      queue.setGate("g", { limit: 0 }),
      queue.openJob("j", { budget: -1 }),
      queue.seal(""),
      queue.pause("\n"),
      queue.resume(""),
      queue.cancel(""),
      queue.raise([{ key: "a", priority: -1 }]),
      queue.browse({ limit: 0 }),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: "rejected", reason: { kind: "invalid" } });
    }
  });

  test("writes payloads as JSON and reads them back, typed by kind", async () => {
    interface MyKinds extends Kinds {
      readonly fetch: { readonly url: string };
      readonly count: number;
    }
    const { store, clock, random } = parts();
    await using queue = createQueue<MyKinds>({ store, clock, random });
    await queue.add([
      { kind: "fetch", payload: { url: "https://example.org/" } },
      { kind: "count", payload: 3 },
    ]);
    const { leases } = await queue.claim({ worker: "w", kinds: ["fetch"], limit: 2 });
    expectTypeOf(leases[0]!.payload).toEqualTypeOf<{ readonly url: string }>();
    expect(leases.map(({ payload }) => payload)).toEqual([{ url: "https://example.org/" }]);
  });

  test("a payload can be left out only where it may be null", () => {
    type Mixed = { fetch: { url: string }; ping: null; note: string | undefined };
    type Made = { readonly payload: { url: string } };
    expectTypeOf<Made & { kind: "fetch" }>().toExtend<TaskInput<Mixed>>();
    expectTypeOf<{ kind: "fetch" }>().not.toExtend<TaskInput<Mixed>>();
    expectTypeOf<{ kind: "fetch"; payload: null }>().not.toExtend<TaskInput<Mixed>>();
    expectTypeOf<{ kind: "ping" }>().toExtend<TaskInput<Mixed>>();
    expectTypeOf<{ kind: "note" }>().toExtend<TaskInput<Mixed>>();
    expectTypeOf<{ kind: "ping"; payload: string }>().not.toExtend<TaskInput<Mixed>>();
    expectTypeOf<{ kind: "any" }>().toExtend<TaskInput>();
    expectTypeOf<Parameters<Queue<Mixed>["add"]>[0][number]>().toEqualTypeOf<TaskInput<Mixed>>();
  });

  test("gives tasks without a key one of their own, and claims a request id", async () => {
    const { queue, commits } = setUp();
    expect(statusesOf(await queue.add([{ kind: "work" }, { kind: "work" }]))).toEqual([
      "added",
      "added",
    ]);
    await queue.claim({ worker: "w", kinds: ["work"] });
    await queue.claim({ worker: "w", kinds: ["work"] });
    const ids = commits.flat().flatMap((one) => (one.op === "claim" ? [one.requestId] : []));
    expect(new Set(ids).size).toBe(2);
  });

  test("retries the failed ones when no state is named", async () => {
    const { queue } = setUp();
    await queue.add([
      { kind: "work", key: "failed" },
      { kind: "work", key: "skipped" },
    ]);
    const { leases } = await queue.claim({ worker: "w", kinds: ["work"], limit: 2 });
    await queue.finish([
      { ...leases[0]!, outcome: { kind: "fail", reason: "f" } },
      { ...leases[1]!, outcome: { kind: "skip", reason: "s" } },
    ]);
    expect(await queue.retry()).toBe(1);
    expect((await queue.browse({ states: ["pending"] }))[0]).toMatchObject({ key: "failed" });
  });

  test("a bulk step that changes nothing ends the work, whatever it says of more", async () => {
    const { store, clock, random } = parts();
    const stuck = { ...store, commit: async () => [{ changed: 0, hasMore: true }] };
    const queue = createQueue({ store: stuck, clock, random });
    expect(await queue.purge({ states: ["done"] })).toBe(0);
  });

  test("a failing commit fails the calls of its turn as it said", async () => {
    const { store, clock, random } = parts();
    const down = new AppError("unavailable", "queue_down", "for the test");
    let isDown = true;
    const flaky: typeof store = {
      ...store,
      commit: async (operations) => {
        if (isDown) throw down;
        return store.commit(operations);
      },
    };
    const queue = createQueue({ store: flaky, clock, random });
    await expect(queue.add([{ kind: "work", key: "a" }])).rejects.toBe(down);
    isDown = false;
    expect(statusesOf(await queue.add([{ kind: "work", key: "a" }]))).toEqual(["added"]);
  });

  test("closes its store when all calls have been answered", async () => {
    const { store, clock, random } = parts();
    const order: string[] = [];
    const noting: typeof store = {
      ...store,
      commit: async (operations) => {
        const answers = await store.commit(operations);
        order.push("commit");
        return answers;
      },
      [Symbol.asyncDispose]: async () => void order.push("close"),
    };
    const queue = createQueue({ store: noting, clock, random });
    const added = queue.add([{ kind: "work" }]);
    await queue[Symbol.asyncDispose]();
    await added;
    expect(order).toEqual(["commit", "close"]);
  });

  test("closes its store when all reads have been answered, page by page", async () => {
    const { store, clock, random } = parts();
    const order: string[] = [];
    const page = Array.from({ length: 5_000 }, (_, at) => ({ name: `j${at}` }) as Job);
    const noting: typeof store = {
      ...store,
      jobs: async () => {
        await new Promise<void>(afterTick);
        order.push("jobs");
        return order.length === 1 ? page : [];
      },
      [Symbol.asyncDispose]: async () => void order.push("close"),
    };
    const queue = createQueue({ store: noting, clock, random });
    const jobs = queue.jobs();
    await queue.close();
    expect(await jobs).toHaveLength(5_000);
    expect(order).toEqual(["jobs", "jobs", "close"]);
  });

  test("answers every call after it was closed with queue_closed, and closes once", async () => {
    const { store, clock, random } = parts();
    let closings = 0;
    const noting = { ...store, [Symbol.asyncDispose]: async () => void closings++ };
    const queue = createQueue({ store: noting, clock, random });
    const closed = queue[Symbol.asyncDispose]();
    const calls = [
      () => queue.add([{ kind: "work" }]),
      () => queue.claim({ worker: "w", kinds: ["work"] }),
      () => queue.extend([], 1_000),
      () => queue.finish([]),
      () => queue.release([]),
      () => queue.sweep(),
      () => queue.block("g", 1),
      () => queue.setGate("g", {}),
      () => queue.openJob("j"),
      () => queue.seal("j"),
      () => queue.pause("j"),
      () => queue.resume("j"),
      () => queue.cancel("j"),
      () => queue.raise([]),
      () => queue.retry(),
      () => queue.archive({}),
      () => queue.purge({}),
      () => queue.forgetKeys({}),
      () => queue.pruneLog(0),
      () => queue.now(),
      () => queue.stats(),
      () => queue.show(1),
      () => queue.browse(),
      () => queue.ended(),
      () => queue.log(),
      () => queue.logStats(),
      () => queue.jobs(),
      () => queue.job("j"),
      () => queue.gate("g"),
      () => queue.gates(),
      () => queue.wakeInMs(["work"]),
      async () => queue.watch(() => {}),
      async () => queue.connections(),
      () => queue.reconcile(),
      () => queue.logEntry(1),
      () => queue.server(),
      () => queue.format(),
      () => queue.finishUpgrade(),
    ];
    expect(calls).toHaveLength(Object.keys(queue).length - 1); // all but close()
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ kind: "invalid", code: "queue_closed" });
    }
    await closed;
    await queue[Symbol.asyncDispose]();
    expect(closings).toBe(1);
  });

  test("closing ends bulk work between two chunks with queue_closed", async () => {
    const { store, clock, random } = parts();
    const endless = { ...store, commit: async () => [{ changed: 1, hasMore: true }] };
    const queue = createQueue({ store: endless, clock, random });
    let closed: PromiseLike<void> | undefined;
    const purged = queue.purge({}, () => void (closed ??= queue[Symbol.asyncDispose]()));
    await expect(purged).rejects.toMatchObject({ code: "queue_closed" });
    await closed;
  });

  test("shows what waits with its reason, and what runs with its worker", async () => {
    const { queue, clock } = setUp();
    await queue.add([
      { kind: "work", key: "a" },
      { kind: "work", key: "b", dueAtMs: clock.nowMs() + 500 },
    ]);
    const { leases } = await queue.claim({ worker: "w", kinds: ["work"] });
    await clock.advance(100);
    expect(await queue.show(leases[0]!.id)).toMatchObject({
      worker: "w",
      waiting: undefined,
      ageMs: 100,
    });
    const [waiting] = await queue.browse({ keyPrefix: "b" });
    expect(await queue.show(waiting!.id)).toMatchObject({
      worker: undefined,
      waiting: { reason: "scheduled", forMs: 400 },
    });
  });
});

function parts() {
  const clock = createTestClock();
  const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
  return { clock, store: createMemoryQueueStore({ now }), random: createSeededRandom(1) };
}

/** A queue in front of a memory store that notes the commits it gets. */
function setUp() {
  const { clock, store, random } = parts();
  const commits: (readonly Operation[])[] = [];
  const noting: typeof store = {
    ...store,
    commit: async (operations) => {
      commits.push(operations);
      return store.commit(operations);
    },
  };
  return { clock, commits, queue: createQueue({ store: noting, clock, random }) };
}
