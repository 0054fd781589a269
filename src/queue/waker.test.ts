// inputs: src/queue/** src/base/**
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { systemClock } from "../base/clock.ts";
import { createSeededRandom, systemRandom } from "../base/random.ts";
import { createMemoryQueueStore } from "./adapters/memory/memory-queue-store.ts";
import { openSqliteQueueStore } from "./adapters/sqlite/sqlite-queue-store.ts";
import { createQueue } from "./create-queue.ts";
import type { Queue } from "./queue.ts";
import type { ChangeListener, QueueStore } from "./queue-store.ts";
import { dueIn } from "./testing/suite-fixture.ts";
import { createSuiteTime, type SuiteTime } from "./testing/suite-time.ts";
import { createWaker, type Waker, type WakeReason, type WakerOptions } from "./waker.ts";

const kinds = ["work"];
const minuteMs = 60_000;

interface Fixture {
  readonly queue: Queue;
  readonly waker: Waker;
  readonly time: SuiteTime;
  readonly store: QueueStore;
  /** Makes a claim that returns nothing, then waits. */
  readonly waitForWork: (signal?: AbortSignal) => Promise<Asleep>;
}

/** A wait and its result so far. */
interface Asleep {
  readonly ended: Promise<WakeReason>;
  reason(): WakeReason | undefined;
}

function setUp(
  time = createSuiteTime(),
  store = memoryStore(time),
  onUnavailable?: WakerOptions["onUnavailable"],
): Fixture {
  const queue = createQueue({ store, clock: time.clock, random: createSeededRandom(1) });
  const random = createSeededRandom(2);
  const away = onUnavailable && { onUnavailable };
  const waker = createWaker({ queue, kinds, clock: time.clock, random, ...away });
  return {
    queue,
    waker,
    time,
    store,
    async waitForWork(signal) {
      const mark = waker.mark();
      expect((await queue.claim({ worker: "w1", kinds })).leases).toEqual([]);
      const asleep = watchOver(waker.wait(mark, signal));
      await time.advance(0);
      return asleep;
    },
  };
}

const memoryStore = (time: SuiteTime) => createMemoryQueueStore({ now: () => time.now() });

function watchOver(ended: Promise<WakeReason>): Asleep {
  let reason: WakeReason | undefined;
  void ended.then(
    (given) => (reason = given),
    () => {},
  );
  return { ended, reason: () => reason };
}

describe("a worker is woken", () => {
  test("by a task that somebody adds", async () => {
    const { queue, time, waitForWork } = setUp();
    const asleep = await waitForWork();
    expect(asleep.reason()).toBeUndefined();
    await queue.add([{ kind: "work" }]);
    await time.advance(0);
    expect(asleep.reason()).toBe("change");
  });

  test("by a task added between the claim that found nothing and the wait", async () => {
    const { queue, waker } = setUp();
    const mark = waker.mark();
    expect((await queue.claim({ worker: "w1", kinds })).leases).toEqual([]);
    await queue.add([{ kind: "work" }]);
    expect(await waker.wait(mark)).toBe("ready");
  });

  test("by a task added in the same commit as the claim that found nothing", async () => {
    const { queue, waker } = setUp();
    const mark = waker.mark();
    const claimed = queue.claim({ worker: "w1", kinds });
    const added = queue.add([{ kind: "work" }]);
    expect((await claimed).leases).toEqual([]);
    await added;
    expect(await waker.wait(mark)).toBe("ready");
  });

  test("by a task added while the queue is asked what it holds", async () => {
    const time = createSuiteTime();
    const store = memoryStore(time);
    let whileAsked: (() => Promise<unknown>) | undefined;
    const slow: QueueStore = {
      ...store,
      async wakeInMs(asked) {
        const inMs = await store.wakeInMs(asked);
        await whileAsked?.();
        return inMs;
      },
    };
    const { queue, waker } = setUp(time, slow);
    whileAsked = async () => {
      whileAsked = undefined;
      await queue.add([{ kind: "work" }]);
    };
    expect(await waker.wait(waker.mark())).toBe("change");
  });

  test("when a due time comes, to the millisecond", async () => {
    const { queue, time, waitForWork } = setUp();
    await queue.add([{ kind: "work", ...dueIn({ time }, 4_000) }]);
    const asleep = await waitForWork();
    await time.advance(3_999);
    expect(asleep.reason()).toBeUndefined();
    await time.advance(1);
    expect(asleep.reason()).toBe("timer");
    expect((await queue.claim({ worker: "w1", kinds })).leases).toHaveLength(1);
  });

  test("when a blocked gate opens", async () => {
    const { queue, time, waitForWork } = setUp();
    await queue.add([{ kind: "work", gate: "g" }]);
    await queue.block("g", 9_000);
    const asleep = await waitForWork();
    await time.advance(9_000);
    expect(asleep.reason()).toBe("timer");
  });

  test("at once when a shorter wait takes the place of a longer one", async () => {
    const { queue, time, waitForWork } = setUp();
    await queue.add([{ kind: "work", gate: "g" }]);
    await queue.block("g", 20_000);
    const asleep = await waitForWork();
    await time.advance(1_000);
    await queue.block("g", 0);
    await time.advance(0);
    expect(asleep.reason()).toBe("change");
  });

  test("when a lease of another ends, also if a third took its task back first", async () => {
    const time = createSuiteTime();
    let aheadMs = 0; // how much sooner the third waker, which asks the store, sees the lease end
    const now = () => ({ ...time.now(), ms: time.now().ms + aheadMs });
    const { queue, waitForWork } = setUp(time, createMemoryQueueStore({ now }));
    await queue.add([{ kind: "work" }]);
    await queue.claim({ worker: "dead", kinds, leaseMs: 5_000 });
    const asleep = await waitForWork();
    await time.advance(4_999);
    aheadMs = 1;
    expect((await queue.sweep()).requeued).toBe(1);
    expect(await queue.wakeInMs(kinds)).toBeUndefined(); // it waits for a worker with no task in flight
    expect(asleep.reason()).toBeUndefined();
    await time.advance(1);
    expect(asleep.reason()).toBe("timer");
    const { leases } = await queue.claim({ worker: "w1", kinds });
    expect(leases).toMatchObject([{ isSuspect: true }]);
  });

  test("by the poll without any notification", async () => {
    const time = createSuiteTime();
    const deaf: QueueStore = { ...memoryStore(time), watch: () => () => {} };
    const { queue, waitForWork } = setUp(time, deaf);
    const asleep = await waitForWork();
    await queue.add([{ kind: "work" }]);
    await time.advance(29_999);
    expect(asleep.reason()).toBeUndefined();
    await time.advance(1);
    expect(asleep.reason()).toBe("poll");
  });
});

describe("a worker sleeps on", () => {
  test("while only other kinds, paused jobs and closed gates have work", async () => {
    const { queue, time, waitForWork } = setUp();
    await queue.openJob("held");
    await queue.pause("held");
    const asleep = await waitForWork();
    await queue.add([{ kind: "other" }, { kind: "work", job: "held" }]);
    await time.advance(29_000);
    expect(asleep.reason()).toBeUndefined();
  });

  test("through its own claims, and those of another waker beside it", async () => {
    const { queue, waker, time, store } = setUp();
    const reads = countCalls(store, "wakeInMs");
    const other = createWaker({ queue, kinds, clock: time.clock });
    const vainClaim = async (one: Waker) => {
      const mark = one.mark();
      await queue.claim({ worker: "w1", kinds });
      return watchOver(one.wait(mark));
    };
    const asleep = [await vainClaim(waker), await vainClaim(other)];
    await time.advance(29_000);
    expect(asleep.map((one) => one.reason())).toEqual([undefined, undefined]);
    expect(reads()).toBeLessThan(6);
  });

  test("an hour of it costs one claim and one read each half minute", async () => {
    const { queue, waker, time, store } = setUp();
    const reads = countCalls(store, "wakeInMs");
    const commits = countCalls(store, "commit");
    const worker = (async () => {
      for (;;) {
        const mark = waker.mark();
        await queue.claim({ worker: "w1", kinds });
        await waker.wait(mark);
      }
    })();
    for (let at = 0; at < 60 * minuteMs; at += 10_000) await pass(time, 10_000);
    expect(commits()).toBe(121);
    expect(reads()).toBe(121);
    waker[Symbol.dispose]();
    await expect(worker).rejects.toMatchObject({ kind: "aborted" });
  });

  test("what is due in more than five minutes sets no timer, and is not late", async () => {
    const { queue, time, waitForWork } = setUp();
    await queue.add([{ kind: "work", ...dueIn({ time }, 6 * minuteMs + 1) }]);
    const reasons: (WakeReason | undefined)[] = [];
    for (let at = 0; at < 6 * minuteMs; at += 30_000) {
      const asleep = await waitForWork();
      await time.advance(30_000);
      reasons.push(asleep.reason());
    }
    expect(new Set(reasons)).toEqual(new Set(["poll"]));
    const last = await waitForWork();
    await time.advance(1);
    expect(last.reason()).toBe("timer");
  });

  test("notified again and again without finding work, it claims at most every 50 ms", async () => {
    const { queue, waker, time } = setUp();
    await queue.add([{ kind: "work", key: "bad" }]);
    await queue.claim({ worker: "dead", kinds, leaseMs: 1_000 });
    await time.advance(1_000);
    await queue.claim({ worker: "w1", kinds, leaseMs: 10 * minuteMs }); // a suspect: nothing else
    await queue.add([{ kind: "work", key: "good" }]);
    let claims = 0;
    const stop = new AbortController();
    const worker = (async () => {
      for (; ; claims++) {
        const mark = waker.mark();
        expect((await queue.claim({ worker: "w1", kinds })).leases).toEqual([]);
        await waker.wait(mark, stop.signal);
      }
    })();
    for (let at = 0; at < 1_000; at++) await pass(time, 1);
    expect(claims).toBeGreaterThan(20);
    expect(claims).toBeLessThan(30);
    stop.abort();
    await expect(worker).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe("a wait survives", () => {
  test("a wall clock that jumps ahead: what is due is found by the next poll", async () => {
    const { queue, time, waitForWork } = setUp();
    await queue.add([{ kind: "work", ...dueIn({ time }, 4 * minuteMs) }]);
    const asleep = await waitForWork();
    time.stepWall(60 * minuteMs);
    await time.advance(30_000);
    expect(asleep.reason()).toBe("poll");
    expect((await queue.claim({ worker: "w1", kinds })).leases).toHaveLength(1);
  });

  test("a wall clock that jumps back: it wakes once without need, then on time", async () => {
    const { queue, time, waitForWork } = setUp();
    await queue.add([{ kind: "work", ...dueIn({ time }, 10_000) }]);
    const early = await waitForWork();
    time.stepWall(-5_000);
    await time.advance(10_000);
    expect(early.reason()).toBe("timer");
    const onTime = await waitForWork();
    await time.advance(4_999);
    expect(onTime.reason()).toBeUndefined();
    await time.advance(1);
    expect(onTime.reason()).toBe("timer");
  });

  test("a restart: a new waker on the same store wakes at the same moment", async () => {
    const first = setUp();
    await first.queue.add([{ kind: "work", ...dueIn(first, 9_000) }]);
    const asleep = await first.waitForWork();
    await first.time.advance(2_000);
    first.waker[Symbol.dispose]();
    await expect(asleep.ended).rejects.toMatchObject({ kind: "aborted" });

    const second = setUp(first.time, first.store);
    const again = await second.waitForWork();
    await first.time.advance(7_000);
    expect(again.reason()).toBe("timer");
  });

  test("a cancel: it ends at once, leaves no timer, and the next wait is none the worse", async () => {
    const { queue, time, waitForWork } = setUp();
    const stop = new AbortController();
    const asleep = await waitForWork(stop.signal);
    expect(time.clock.pendingTimers()).toBe(1);
    stop.abort(new Error("enough"));
    await expect(asleep.ended).rejects.toMatchObject({ kind: "aborted", code: "wait_aborted" });
    expect(time.clock.pendingTimers()).toBe(0);
    await expect((await waitForWork(stop.signal)).ended).rejects.toMatchObject({ kind: "aborted" });

    const next = await waitForWork();
    await queue.add([{ kind: "work" }]);
    expect(await next.ended).toBe("change");
    expect(time.clock.pendingTimers()).toBe(0);
  });

  test("a store that is away: it waits on, also through the poll, and sees what came meanwhile", async () => {
    const { queue, time, goAway, comeBack, reads, waitForWork } = setUpAway();
    await queue.add([{ kind: "work", delayMs: 4_000 }]);
    const asleep = await waitForWork();
    goAway();
    await queue.add([{ kind: "other" }]); // a reason to look
    await pass(time, minuteMs);
    expect(asleep.reason()).toBeUndefined();
    comeBack();
    await pass(time, 5_000);
    expect(asleep.reason()).toBe("timer");
    expect(reads()).toBeLessThan(40);
    expect((await queue.claim({ worker: "w1", kinds })).leases).toHaveLength(1);
  });

  test("a store that is away when it begins, and comes back with nothing to do", async () => {
    const { queue, time, goAway, comeBack, waitForWork, tell, reported } = setUpAway();
    goAway();
    const asleep = await waitForWork();
    for (let at = 0; at < 10; at++) {
      tell(true); // a change: the existing task cannot be claimed
      await pass(time, 1_000);
    }
    expect(asleep.reason()).toBeUndefined();
    expect(new Set(reported.map(({ code }) => code))).toEqual(new Set(["down"]));
    comeBack();
    await pass(time, 5_000);
    expect(asleep.reason()).toBeUndefined();
    await queue.add([{ kind: "work" }]);
    tell(false);
    expect(await asleep.ended).toBe("change");
    expect(time.clock.pendingTimers()).toBe(0);
  });

  test("an unavailable store gets few requests: pauses grow to five seconds, whatever is notified", async () => {
    const { time, goAway, reads, waitForWork, tell } = setUpAway();
    goAway();
    await waitForWork();
    for (let at = 0; at < 600; at++) {
      tell(true);
      await pass(time, 100);
    }
    // A minute: six reads in the first six seconds, then one each 2.5 to 5 seconds.
    expect(reads()).toBeGreaterThan(12);
    expect(reads()).toBeLessThan(40);
  });

  test("a cancel while the store is away ends it at once", async () => {
    const { time, goAway, waker, waitForWork } = setUpAway();
    goAway();
    const stop = new AbortController();
    const asleep = await waitForWork(stop.signal);
    await pass(time, 10_000);
    stop.abort();
    await expect(asleep.ended).rejects.toMatchObject({ kind: "aborted" });
    const next = await waitForWork();
    waker.close();
    waker.close(); // the second time does nothing
    await expect(next.ended).rejects.toMatchObject({ kind: "aborted" });
    expect(time.clock.pendingTimers()).toBe(0);
  });

  test("an error that waiting cannot mend: it comes out, and the next wait works", async () => {
    const time = createSuiteTime();
    const store = memoryStore(time);
    let isDown = true;
    const failing: QueueStore = {
      ...store,
      wakeInMs: async (asked) => {
        if (isDown) throw new Error("down");
        return store.wakeInMs(asked);
      },
    };
    const { queue, waker, waitForWork } = setUp(time, failing);
    await expect(waker.wait(waker.mark())).rejects.toThrow("down");
    isDown = false;
    const asleep = await waitForWork();
    await queue.add([{ kind: "work" }]);
    expect(await asleep.ended).toBe("change");
  });
});

/** A store that can be away for questions, while claims and adds still reach it. */
function setUpAway() {
  const time = createSuiteTime();
  const store = memoryStore(time);
  const listeners = new Set<ChangeListener>();
  let isAway = false;
  let reads = 0;
  const reported: AppError[] = [];
  const leaving: QueueStore = {
    ...store,
    async wakeInMs(asked) {
      reads += 1;
      if (isAway) throw new AppError("unavailable", "down", "the store is away");
      return store.wakeInMs(asked);
    },
    watch(listener) {
      listeners.add(listener);
      const unwatch = store.watch(listener);
      return () => {
        listeners.delete(listener);
        unwatch();
      };
    },
  };
  return {
    ...setUp(time, leaving, (error) => reported.push(error)),
    reported,
    reads: () => reads,
    goAway: () => void (isAway = true),
    comeBack: () => void (isAway = false),
    tell: (isNews: boolean) => listeners.forEach((listener) => listener(isNews)),
  };
}

describe("news of added tasks, from a store that gives them", () => {
  function setUpNews() {
    const time = createSuiteTime();
    const store = memoryStore(time);
    const listeners = new Set<ChangeListener>();
    let reads = 0;
    const telling: QueueStore = {
      ...store,
      wakeInMs: (...given) => {
        reads += 1;
        return store.wakeInMs(...given);
      },
      watch: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    const tell = () => listeners.forEach((listener) => listener(true));
    return { ...setUp(time, telling), tell, reads: () => reads };
  }

  test("the worker claims at once, without a look", async () => {
    const { waitForWork, tell, reads } = setUpNews();
    const asleep = await waitForWork();
    const readsBefore = reads();
    tell();
    expect(await asleep.ended).toBe("news");
    expect(reads()).toBe(readsBefore);
  });

  test("also when they came while it claimed", async () => {
    const { waker, tell, reads } = setUpNews();
    const mark = waker.mark();
    tell();
    expect(await waker.wait(mark)).toBe("news");
    expect(reads()).toBe(0);
  });

  test("after an empty claim it looks first, until a look found something", async () => {
    const { queue, waitForWork, time, tell } = setUpNews();
    const vain = await waitForWork();
    tell();
    expect(await vain.ended).toBe("news");
    const asleep = await waitForWork();
    tell();
    await time.advance(10);
    expect(asleep.reason()).toBeUndefined();
    await queue.add([{ kind: "work" }]);
    tell();
    expect(await asleep.ended).toBe("change");
    expect((await queue.claim({ worker: "w2", kinds })).leases).toHaveLength(1);
    const again = await waitForWork();
    tell();
    expect(await again.ended).toBe("news");
  });
});

test("a mark that is not of the last claim, and a second wait, are refused", async () => {
  const { waker, waitForWork } = setUp();
  const old = waker.mark();
  await waitForWork();
  await expect(waker.wait(old)).rejects.toThrow("the mark of the last claim");
  await expect(waker.wait({ claims: 2, news: 0 })).rejects.toThrow("one wait at a time");
});

test("whatever the order of adds, blocks and waits, nothing claimable is slept through", async () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 0, max: 3_000 }), gate: fc.constantFrom("", "g") }),
    fc.record({ block: fc.integer({ min: 0, max: 2_000 }) }),
    fc.record({ pass: fc.integer({ min: 0, max: 1_500 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { queue, waker, time } = setUp();
      const worker = (async () => {
        for (;;) {
          const mark = waker.mark();
          const { leases } = await queue.claim({ worker: "w1", kinds, limit: 10 });
          for (const { id, token } of leases) {
            await queue.finish([{ id, token, outcome: { kind: "done" } }]);
          }
          if (leases.length === 0) await waker.wait(mark);
        }
      })();
      for (const one of steps) {
        if ("add" in one) await queue.add([{ kind: "work", gate: one.gate, delayMs: one.add }]);
        else if ("block" in one) await queue.block("g", one.block);
        else await time.advance(one.pass);
        // Whatever can be claimed now will be: a wait that missed it would leave it there.
        await pass(time, 1);
        expect(await queue.wakeInMs(kinds)).not.toBe(0);
      }
      waker[Symbol.dispose]();
      await expect(worker).rejects.toMatchObject({ kind: "aborted" });
    }),
    { numRuns: 60 },
  );
});

test("a task that one process adds wakes another, by its watch and not by the poll", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-waker-"));
  const file = join(folder, "queue.db");
  const program = fileURLToPath(new URL("./testing/waker-program.ts", import.meta.url));
  const child = fork(program, [file], { execArgv: ["--import", "tsx"] });
  try {
    const said: unknown[] = [];
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await using queue = createQueue({
      store: openSqliteQueueStore({ file }),
      clock: systemClock,
      random: systemRandom,
    });
    child.on("message", (message) => {
      said.push(message);
      if (message === "asleep") void queue.add([{ kind: "work", key: "from the parent" }]);
    });
    expect(await exited).toBe(0);
    expect(said).toEqual(["asleep", { reason: "change", keys: ["from the parent"] }]);
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Time passes, then everyone who was woken gets as far as they can: a claim takes a few turns. */
async function pass(time: SuiteTime, ms: number): Promise<void> {
  await time.advance(ms);
  for (let turn = 0; turn < 8; turn++) await time.advance(0);
}

function countCalls(store: QueueStore, name: "wakeInMs" | "commit"): () => number {
  const original = store[name] as (...args: unknown[]) => Promise<never>;
  let calls = 0;
  Object.assign(store, {
    [name]: (...args: unknown[]) => {
      calls += 1;
      return original(...args);
    },
  });
  return () => calls;
}
