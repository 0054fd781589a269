import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { sleep } from "../../base/clock.ts";
import type { Queue } from "../../queue/index.ts";
import { done, retry } from "../outcome.ts";
import { backends, openWorkerFixture, works } from "../testing/worker-fixture.ts";

const down = () => new AppError("unavailable", "down", "the queue is away");

describe.each(backends)("leases in a worker's inFlightTasks on %s", (backend) => {
  test.each([60_000, 600_000, 1_800_000])(
    "C4: a task outlives its lease of %i ms many times over, by extending by that lease",
    async (leaseMs) => {
      await using at = openWorkerFixture(backend);
      await at.queue.add(works("a", 1));
      await at.work(() => sleep(at.clock, leaseMs * 5).then(() => done()), {
        leaseMs,
        handler: { timeoutMs: 86_000_000 },
      });
      await at.pass(leaseMs * 4, leaseMs / 24);
      const { expiresAtMs } = await at.task("a0");
      expect(expiresAtMs - at.clock.nowMs()).toBeGreaterThanOrEqual(leaseMs / 2);
      expect(expiresAtMs - at.clock.nowMs()).toBeLessThanOrEqual(leaseMs);
      await at.pass(leaseMs * 1.1, leaseMs / 24);
      expect(await at.task("a0")).toMatchObject({ state: "done", used: 1 });
    },
  );

  test("a handler learns that its outcome was stored; not if the lease was lost", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([
      { kind: "work", key: "kept" },
      { kind: "work", key: "lost", job: "j" },
    ]);
    const stored: string[] = [];
    await at.work(async ({ task }) => {
      if (task.key === "lost") await at.queue.cancel("j");
      const add = [{ kind: "other", key: `of ${task.key}` }];
      return done(undefined, { add, onStored: () => void stored.push(task.key) });
    });
    await at.pass(1_000);
    expect(stored).toEqual(["kept"]);
    expect((await at.queue.browse()).map(({ key }) => key)).toContain("of kept");
    expect((await at.queue.browse()).map(({ key }) => key)).not.toContain("of lost");
  });

  test("a lost lease ends its handler through the signal, and its result is dropped", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.openJob("crawl");
    await at.queue.add(works("a", 1, { job: "crawl" }));
    const aborts: string[] = [];
    const worker = await at.work(async ({ signal }) => {
      signal.addEventListener("abort", () => aborts.push((signal.reason as AppError).code));
      await sleep(at.clock, 100_000, signal).catch(() => {});
      return done("too late");
    });
    await at.pass(1_000, 500);
    await at.queue.cancel("crawl");
    await at.pass(30_000, 2_500);
    expect(aborts).toEqual(["lease_lost"]);
    expect(worker.look()).toMatchObject({ atWork: 0, inFlight: 0 });
    expect((await at.task("a0")).result).toBe(null);
  });

  test("a queue that cannot be reached until a lease ended: its handler is ended then", async () => {
    let isDown = false;
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      extend: (...all) => (isDown ? Promise.reject(down()) : queue.extend(...all)),
    }));
    await at.queue.add(works("a", 1));
    let endedAtMs = 0;
    await at.work(({ signal }) =>
      sleep(at.clock, 500_000, signal).catch(() => void (endedAtMs = at.clock.monotonicMs())),
    );
    isDown = true;
    await at.pass(90_000, 1_000);
    expect(endedAtMs).toBeGreaterThanOrEqual(60_000);
    expect(endedAtMs).toBeLessThanOrEqual(66_000);
  });

  test("lesson 28: a queue that never answers an extension does not hide the end of a lease", async () => {
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      extend: () => new Promise(() => {}),
    }));
    await at.queue.add(works("a", 1));
    let isEnded = false;
    await at.work(({ signal }) =>
      sleep(at.clock, 500_000, signal).catch(() => void (isEnded = true)),
    );
    await at.pass(70_000, 1_000);
    expect(isEnded).toBe(true);
  });

  test("lesson 23: a hung task is not kept by the extensions of its neighbours", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([
      { kind: "work", key: "hung", attemptsMax: 1 },
      { kind: "work", key: "fine" },
    ]);
    const worker = await at.work(
      ({ task }) =>
        task.key === "hung" ? new Promise(() => {}) : sleep(at.clock, 100_000).then(() => done()),
      { leaseMs: 10_000, handler: { timeoutMs: 110_000 } },
    );
    await at.pass(120_000, 1_000);
    expect(await at.task("fine")).toMatchObject({ state: "done" });
    const { state, attempts } = await at.task("hung");
    expect(state).toBe("failed");
    expect(attempts[0]?.reason).toBe("timed out: it took longer than 110000 ms");
    // The slot is free again though the handler never came back.
    expect(worker.look()).toMatchObject({ atWork: 0, abandoned: 1 });
  });

  test("what could not be stored is stored later, and nothing is claimed meanwhile", async () => {
    let isDown = false;
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      finish: (...all) => (isDown ? Promise.reject(down()) : queue.finish(...all)),
      claim: (request) => (isDown ? Promise.reject(down()) : queue.claim(request)),
    }));
    await at.queue.add(works("a", 6));
    let starts = 0;
    const begin = () => {
      starts += 1;
      if (starts === 2) isDown = true;
    };
    await at.work(begin, { concurrency: 2 });
    await at.pass(9_000, 100);
    expect(starts).toBe(2);
    expect((await at.queue.stats()).states.done).toBe(0);
    isDown = false;
    await at.pass(10_000, 100);
    expect((await at.queue.stats()).states).toMatchObject({ done: 6 });
    expect(starts).toBe(6);
  });

  test("a claim whose answer was lost is repeated, and its tasks are not left to expire", async () => {
    let isFirst = true;
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      async claim(request) {
        const found = await queue.claim(request);
        if (!isFirst) return found;
        isFirst = false;
        throw down();
      },
    }));
    await at.queue.add(works("a", 3));
    await at.work(() => done());
    await at.pass(6_000, 100);
    expect((await at.queue.stats()).states).toMatchObject({ done: 3, running: 0 });
    expect((await at.task("a0")).used).toBe(1);
  });

  test("an error that repeating cannot mend ends the worker, and it says which", async () => {
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      claim: () => Promise.reject(new AppError("corrupt", "torn", "the file is torn")),
    }));
    const worker = await at.work(() => done());
    await expect(worker.ended).rejects.toThrow("the file is torn");
  });

  test("after such an error it stops at once: what it holds could not be stored anyway", async () => {
    let isTorn = false;
    const torn = () => Promise.reject(new AppError("corrupt", "torn", "the file is torn"));
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      finish: (...all) => (isTorn ? torn() : queue.finish(...all)),
    }));
    await at.queue.add([
      { kind: "work", key: "ends" },
      { kind: "work", key: "hangs" },
    ]);
    const worker = await at.work(
      ({ task }) => (task.key === "ends" ? done() : new Promise(() => {})),
      { graceMs: 25_000, concurrency: 2 },
    );
    isTorn = true;
    await expect(worker.ended).rejects.toThrow("the file is torn");
    await worker.stop(); // without the clock being moved
  });
});

describe.each(backends)("runs of owned gates on %s", (backend) => {
  async function startsOf(
    at: ReturnType<typeof openWorkerFixture>,
    takesMs: number,
    more: object = {},
  ) {
    const startsMs: number[] = [];
    let atOnceMax = 0;
    let atOnce = 0;
    const worker = await at.work(async ({ task }) => {
      if (task.gate === "") return;
      startsMs.push(at.clock.monotonicMs());
      atOnceMax = Math.max(atOnceMax, ++atOnce);
      await sleep(at.clock, takesMs);
      atOnce -= 1;
    }, more);
    return { startsMs, worker, atOnceMax: () => atOnceMax };
  }
  const gaps = (startsMs: readonly number[]) =>
    startsMs.slice(1).map((ms, index) => ms - startsMs[index]!);

  test("start to start at least the delay apart, over many runs and the end of each", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 1_000 });
    await at.queue.add(works("a", 12, { gate: "a.example" }));
    const { startsMs } = await startsOf(at, 300, { burst: 4 });
    await at.pass(14_000, 20);
    expect(startsMs).toHaveLength(12);
    expect(Math.min(...gaps(startsMs))).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...gaps(startsMs))).toBeLessThanOrEqual(1_100);
  });

  test("a missed moment shifts the rest and is never caught up", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 100 });
    await at.queue.add(works("a", 4, { gate: "a.example" }));
    const { startsMs } = await startsOf(at, 350);
    await at.pass(3_000, 10);
    // One at a time: 350 ms each, not 100.
    expect(startsMs).toHaveLength(4);
    expect(Math.min(...gaps(startsMs))).toBeGreaterThanOrEqual(350);
  });

  test("lesson 12: a run that waits takes no slot and none of its tasks' time", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 5_000 });
    await at.queue.add(works("a", 4, { gate: "a.example" }));
    const { startsMs } = await startsOf(at, 100, {
      concurrency: 1,
      handler: { timeoutMs: 1_000 },
    });
    await at.pass(1_000, 50);
    await at.queue.add(works("free", 5));
    await at.pass(1_000, 50);
    expect((await at.queue.stats()).states.done).toBe(6);
    await at.pass(15_000, 50);
    expect(startsMs).toHaveLength(4);
    expect((await at.queue.stats()).states).toMatchObject({ done: 9, pending: 0 });
  });

  test("at most the gate's limit at once, and the job's share of it", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 10, limit: 5 });
    await at.queue.openJob("small", { concurrency: 2 });
    await at.queue.add(works("a", 10, { gate: "a.example", job: "small" }));
    const { atOnceMax } = await startsOf(at, 200);
    await at.pass(3_000, 10);
    expect(atOnceMax()).toBe(2);
    expect((await at.queue.stats()).states.done).toBe(10);
  });

  test("a gate that is changed meanwhile is followed at the next answer", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 200 });
    await at.queue.add(works("a", 10, { gate: "a.example" }));
    const { startsMs } = await startsOf(at, 10);
    await at.pass(390, 10);
    await at.queue.setGate("a.example", { delayMs: 3_000 });
    await at.pass(7_000, 50);
    expect(startsMs.length).toBe(5);
    expect(Math.min(...gaps(startsMs.slice(2)))).toBeGreaterThanOrEqual(3_000);
  });

  test("a gate that is blocked meanwhile gets the rest of its run back", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 200 });
    await at.queue.add(works("a", 10, { gate: "a.example" }));
    const { startsMs, worker } = await startsOf(at, 10);
    await at.pass(390, 10);
    await at.queue.block("a.example", 60_000);
    await at.pass(5_000, 50);
    expect(startsMs).toHaveLength(3);
    expect(worker.look().inFlight).toBe(0);
    expect((await at.task("a9")).used).toBe(0);
  });

  test("two workers never share a gate, and hand it over with its delay", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 500 });
    await at.queue.add(works("a", 12, { gate: "a.example" }));
    const first = await startsOf(at, 50, { burst: 2 });
    const second = await startsOf(at, 50, { burst: 2 });
    await at.pass(8_000, 10);
    const all = [...first.startsMs, ...second.startsMs].sort((a, b) => a - b);
    expect(all).toHaveLength(12);
    expect(Math.min(...gaps(all))).toBeGreaterThanOrEqual(500);
  });

  test("markStart moves the moment the gap is counted from", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 500, limit: 4 });
    await at.queue.add(works("a", 3, { gate: "a.example" }));
    const sentMs: number[] = [];
    await at.work(async ({ task, markStart }) => {
      if (task.key === "a0") await sleep(at.clock, 300); // a slow name server
      sentMs.push(at.clock.monotonicMs());
      markStart();
      await sleep(at.clock, 1_000);
    });
    await at.pass(4_000, 10);
    expect(sentMs).toHaveLength(3);
    expect(Math.min(...gaps(sentMs))).toBeGreaterThanOrEqual(500);
  });

  test("after an answer that asks to slow down the rest of the run goes back", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 100 });
    await at.queue.add(works("a", 5, { gate: "a.example" }));
    let starts = 0;
    await at.work(() => {
      starts += 1;
      return retry("429", { slowDown: { retryAfterMs: 30_000 } });
    });
    await at.pass(29_000, 500);
    expect(starts).toBe(1);
    expect(await at.task("a4")).toMatchObject({ state: "pending", used: 0 });
  });

  test("a thousand gates at once, each kept", async () => {
    await using at = openWorkerFixture(backend);
    const count = backend === "memory" ? 50 : 1_000;
    await at.queue.add(
      Array.from({ length: count }, (_, index) => ({ kind: "work", gate: `h${index}.example` })),
    );
    await at.work(() => sleep(at.clock, 10).then(() => done()), { concurrency: 50 });
    await at.pass(1_000, 20);
    expect((await at.queue.stats()).states.done).toBe(count);
  });
});
