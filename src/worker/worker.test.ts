import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { sleep } from "../base/clock.ts";
import { createMetrics } from "../base/metrics.ts";
import type { Queue } from "../queue/index.ts";
import { PermanentError } from "./failure.ts";
import { defineHandler } from "./handler.ts";
import { done, fail, release, retry, skip } from "./outcome.ts";
import { anything, backends, openWorkerFixture, works } from "./testing/worker-fixture.ts";

describe.each(backends)("a worker on %s", (backend) => {
  test("does every task once, never more at once than its slots", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 25));
    const seen: string[] = [];
    let atOnce = 0;
    let atOnceMax = 0;
    await at.work(
      async ({ task }) => {
        atOnceMax = Math.max(atOnceMax, ++atOnce);
        await sleep(at.clock, 50);
        atOnce -= 1;
        seen.push(task.key);
      },
      { concurrency: 4 },
    );
    await at.pass(1_000);
    expect(new Set(seen).size).toBe(25);
    expect(seen).toHaveLength(25);
    expect(atOnceMax).toBe(4);
    expect((await at.queue.stats()).states).toMatchObject({ done: 25, pending: 0, running: 0 });
  });

  test("the bucket requests of a handler are added to its job, with each outcome", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([...works("a", 3, { job: "j" }), ...works("b", 1, { job: "k" })]);
    let given = 0;
    await at.work(
      async (context) => {
        const { task, services } = context;
        const { ask } = services as { readonly ask: () => void };
        if (task.job === "j") for (let asked = 0; asked < 4; asked++) ask();
        expect(context.services).toBe(services);
        return task.key === "a0" ? fail("no") : done();
      },
      {
        servicesFor: (onRequest) => {
          given += 1;
          return { ask: onRequest };
        },
      },
    );
    await at.pass(100);
    expect(given).toBe(4);
    expect(await at.queue.job("j")).toMatchObject({ done: 2, failed: 1, requests: 12 });
    expect(await at.queue.job("k")).toMatchObject({ done: 1, requests: 0 });
  });

  test("every attempt that throws is logged with its stack, the last one as an error", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 1, { attemptsMax: 2 }));
    await at.work(() => {
      throw new Error("boom");
    });
    await at.pass(10_000, 100);
    const failures = at.lines.filter(({ fields }) => fields?.["key"] === "a0");
    expect(failures).toMatchObject([
      { level: "warn", fields: { attempt: 1, attemptsMax: 2, reason: "Error: boom" } },
      { level: "error", fields: { attempt: 2, attemptsMax: 2, reason: "Error: boom" } },
    ]);
    expect(failures[1]?.fields?.["stack"]).toContain("worker.test.ts");
  });

  test("lesson 20: no fixed pause between tasks: a thousand need no time at all", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 300));
    await at.work(() => done(), { concurrency: 10 });
    for (let turn = 0; turn < 40; turn++) await at.settle();
    expect((await at.queue.stats()).states.done).toBe(300);
    expect(at.clock.monotonicMs()).toBe(0);
  });

  test("work that comes later is begun at once, and idling asks for nothing", async () => {
    let claims = 0;
    const counted = (queue: Queue): Queue => ({
      ...queue,
      claim: (request) => ((claims += 1), queue.claim(request)),
    });
    await using at = openWorkerFixture(backend, counted);
    await at.work(() => done());
    await at.pass(25_000, 1_000);
    expect(claims).toBe(1);
    await at.queue.add(works("a", 1));
    await at.settle();
    expect(await at.task("a0")).toMatchObject({ state: "done" });
  });

  test("a finish and the next claim are one commit", async () => {
    const calls: string[] = [];
    const noted = (queue: Queue): Queue => ({
      ...queue,
      claim: (request) => (calls.push("claim"), queue.claim(request)),
      finish: (finishes) => (calls.push(`finish ${finishes.length}`), queue.finish(finishes)),
    });
    await using at = openWorkerFixture(backend, noted);
    await at.queue.add(works("a", 6));
    await at.work(() => done(), { concurrency: 3 });
    for (let turn = 0; turn < 5; turn++) await at.settle();
    expect(calls.slice(0, 5)).toEqual(["claim", "finish 3", "claim", "finish 3", "claim"]);
  });

  test("outcomes: done with its result, skip, retry and fail with their reasons", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 4));
    const outcomes = [
      done({ pages: 3 }),
      skip("gone"),
      retry("busy", { delayMs: 500 }),
      fail("no"),
    ];
    await at.work(({ task }) => outcomes[Number(task.key.slice(1))]!);
    await at.settle();
    expect(await at.task("a0")).toMatchObject({ state: "done", result: '{"pages":3}' });
    expect(await at.task("a1")).toMatchObject({ state: "skipped", attempts: [{ reason: "gone" }] });
    expect(await at.task("a2")).toMatchObject({
      state: "pending",
      dueAtMs: at.clock.nowMs() + 500,
      attempts: [{ reason: "busy" }],
    });
    expect(await at.task("a3")).toMatchObject({ state: "failed", attempts: [{ reason: "no" }] });
  });

  test("a task that the node lacks something for goes back uncharged, and its kind rests", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([...works("a", 2), { kind: "other", key: "b" }]);
    const lacking = defineHandler("work", anything, () => release("no such file here"));
    const other = defineHandler("other", anything, () => done());
    const worker = await at.start([lacking, other]);
    await at.settle();
    expect(await at.task("b")).toMatchObject({ state: "done" });
    expect(await at.task("a0")).toMatchObject({ state: "pending", used: 0, attempts: [] });
    const reported = () =>
      at.lines.filter(({ fields }) => fields["reason"] === "no such file here");
    expect(reported()).toHaveLength(2);
    await at.pass(14_000, 500);
    expect(reported()).toHaveLength(2);
    await at.pass(2_000, 500);
    expect(reported()).toHaveLength(4);
    await worker.stop();

    const draining = await at.start([lacking, other], { drain: true });
    await at.settle();
    await draining.ended;
    expect((await at.queue.stats()).states).toMatchObject({ pending: 2, failed: 0 });
  });

  test("new tasks and raises are stored together with the finish", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([
      { kind: "work", key: "a" },
      { kind: "other", key: "b", priority: 100 },
    ]);
    await at.work(() =>
      done(undefined, {
        add: [{ kind: "other", key: "c" }],
        raise: [{ key: "b", priority: 900 }],
      }),
    );
    await at.settle();
    expect(await at.task("c")).toMatchObject({ state: "pending" });
    expect(await at.task("b")).toMatchObject({ priority: 900 });
  });

  test("what a handler throws decides: permanent fails, the rest is tried again", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 4));
    const errors: readonly unknown[] = [
      new PermanentError("404"),
      new AppError("invalid", "bad", "wrong input"),
      new Error("connection reset", { cause: new Error("ECONNRESET") }),
      "just text",
    ];
    await at.work(({ task }) => Promise.reject(errors[Number(task.key.slice(1))] as Error));
    await at.settle();
    const ends = await Promise.all(["a0", "a1", "a2", "a3"].map((key) => at.task(key)));
    expect(ends.map(({ state, attempts }) => [state, attempts[0]?.reason])).toEqual([
      ["failed", "PermanentError: 404"],
      ["failed", "AppError: wrong input"],
      ["pending", "Error: connection reset (Error: ECONNRESET)"],
      ["pending", "threw just text"],
    ]);
  });

  test("the attempts of a kind are counted, and the wait doubles, with jitter", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 1, { attemptsMax: 10 }));
    const startsMs: number[] = [];
    await at.work(
      () => {
        startsMs.push(at.clock.monotonicMs());
        throw new Error("again");
      },
      { handler: { retry: { attempts: 4, delayMs: 1_000, delayMsMax: 3_000 } } },
    );
    await at.pass(20_000, 20);
    expect(startsMs).toHaveLength(4);
    const waits = startsMs.slice(1).map((ms, index) => ms - startsMs[index]!);
    [1_000, 2_000, 3_000].forEach((longest, index) => {
      expect(waits[index]).toBeLessThanOrEqual(longest + 40);
    });
    expect(new Set(waits).size).toBe(3);
    expect(await at.task("a0")).toMatchObject({ state: "failed" });
  });

  test("a payload that its schema refuses fails its task, and the handler never sees it", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([
      { kind: "work", key: "good", payload: { url: "https://example.org" } },
      { kind: "work", key: "bad", payload: { url: 7 } },
    ]);
    const seen: unknown[] = [];
    const schema = {
      parse(value: unknown) {
        const { url } = value as { url: unknown };
        if (typeof url !== "string") throw new Error("url must be text");
        return { url: new URL(url) };
      },
    };
    await at.start([
      defineHandler("work", schema, ({ task }) => void seen.push(task.payload.url.hostname)),
    ]);
    await at.settle();
    expect(seen).toEqual(["example.org"]);
    expect(await at.task("good")).toMatchObject({ state: "done" });
    expect(await at.task("bad")).toMatchObject({
      state: "failed",
      attempts: [{ reason: "its payload was refused: Error: url must be text" }],
    });
  });

  test("a result that is not JSON fails its own task and no other", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 5));
    await at.work(({ task }) => done(task.key === "a2" ? { count: 1n } : task.key));
    await at.settle();
    expect((await at.queue.stats()).states).toMatchObject({ done: 4, failed: 1 });
    expect((await at.task("a2")).attempts[0]?.reason).toContain(
      "the queue refused the outcome of the task",
    );
  });

  test("an outcome with other properties, or with getters that throw, disturbs no other task", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 4));
    const runs: Record<string, () => unknown> = {
      a0: () => ({ kind: "done", add: [], task: "mine", outcome: "mine" }),
      a1: () => ({
        kind: "fail",
        get reason() {
          throw new PermanentError("from a getter");
        },
      }),
      a2() {
        throw Object.defineProperty(new PermanentError("a"), "stack", { value: { lines: 3 } });
      },
    };
    await at.work(({ task }) => runs[task.key]?.() as never);
    await at.settle();
    expect((await at.queue.stats()).states).toMatchObject({ done: 2, failed: 2, running: 0 });
    const [attempt] = (await at.task("a1")).attempts;
    expect(attempt?.reason).toBe("PermanentError: from a getter");
  });

  test("a handler that returns something else fails its task, and the error says what to return", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 1));
    await at.work((() => ({ pages: 3 })) as never);
    await at.settle();
    expect((await at.task("a0")).attempts[0]?.reason).toContain("return done(result)");
  });

  test("what tasks bring is counted where their kind says how", async () => {
    await using fixture = openWorkerFixture(backend);
    const metrics = createMetrics();
    await fixture.queue.add([
      { kind: "work", key: "a" },
      { kind: "work", key: "b" },
    ]);
    await fixture.work(({ task }) => done({ found: task.key === "a" ? 3 : "many" }), {
      metrics,
      handler: { yields: (result) => (result as { found: number }).found },
    });
    await fixture.settle();
    const family = metrics.snapshot().find(({ name }) => name === "forager_task_yield_total");
    expect(family?.series).toEqual([{ values: ["work"], value: 3 }]);
    expect((await fixture.task("a")).state).toBe("done");
    const { state, attempts } = await fixture.task("b");
    expect(state).toBe("failed");
    expect(attempts[0]!.reason).toContain("yields() says many");
  });

  test("local caps: at most that many of one key, and others pass by", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([
      ...works("a", 6, { payload: { host: "slow" } }),
      ...works("b", 2, { payload: { host: "other" } }),
    ]);
    const host = (payload: unknown) => (payload as { host: string }).host;
    const atOnce = new Map<string, number>();
    const most = new Map<string, number>();
    const ends: string[] = [];
    await at.work(
      async ({ task }) => {
        const key = host(task.payload);
        atOnce.set(key, (atOnce.get(key) ?? 0) + 1);
        most.set(key, Math.max(most.get(key) ?? 0, atOnce.get(key)!));
        await sleep(at.clock, 100);
        atOnce.set(key, atOnce.get(key)! - 1);
        ends.push(task.key);
      },
      { concurrency: 4, handler: { cap: { limit: 1, key: ({ payload }) => host(payload) } } },
    );
    await at.pass(1_000);
    expect(most.get("slow")).toBe(1);
    expect(ends).toHaveLength(8);
    expect(ends.indexOf("b0")).toBeLessThan(3);
  });

  test("runs that come due together take turns for the slots", async () => {
    await using at = openWorkerFixture(backend);
    for (const host of ["a", "b", "c"]) {
      await at.queue.setGate(host, { delayMs: 1_000 });
      await at.queue.add(works(host, 3, { gate: host }));
    }
    let atOnce = 0;
    let atOnceMax = 0;
    const worker = await at.work(
      async () => {
        atOnceMax = Math.max(atOnceMax, ++atOnce);
        await sleep(at.clock, 100);
        atOnce -= 1;
      },
      { concurrency: 3 },
    );
    await at.pass(500, 20);
    expect(atOnceMax).toBe(3);
    worker.setConcurrency(1); // and all three are due again in the same moment
    atOnceMax = 0;
    await at.pass(5_000, 20);
    expect(atOnceMax).toBe(1);
    expect((await at.queue.stats()).states.done).toBe(9);
  });

  test("a suspect is done by a worker that was busy, though work keeps coming", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([{ kind: "work", key: "poison" }]);
    await at.queue.claim({ worker: "dead", kinds: ["work"], leaseMs: 1_000 });
    await at.queue.add(works("a", 400));
    const beside: string[] = [];
    const working = new Set<string>();
    await at.work(
      async ({ task }) => {
        working.add(task.key);
        // Of different lengths, so that the two slots are never empty together by chance.
        await sleep(at.clock, 100 + (task.id % 3) * 30);
        if (working.has("poison")) beside.push(...working);
        working.delete(task.key);
      },
      { concurrency: 2 },
    );
    await at.pass(14_000, 10);
    expect(await at.task("poison")).toMatchObject({ state: "done", used: 2 });
    expect(beside).toEqual(["poison"]);
    expect((await at.queue.stats()).states.pending).toBeGreaterThan(0);
  });

  test("drain: it ends when nothing is left, also of others, and not before", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([...works("a", 3), ...works("late", 1, { delayMs: 2_000 })]);
    const worker = await at.work(() => done(), { drain: true });
    let isEnded = false;
    void worker.ended.then(() => (isEnded = true));
    await at.pass(1_900, 100);
    expect(isEnded).toBe(false);
    await at.pass(300, 100);
    expect(isEnded).toBe(true);
    expect((await at.queue.stats()).states).toMatchObject({ done: 4, pending: 0 });
  });

  test("drain: it does not wait for the next attempt of a kind that is not awaited", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([...works("a", 1, { delayMs: 2_000 }), { kind: "late", key: "late" }]);
    const work = defineHandler("work", anything, () => done());
    const late = defineHandler("late", anything, () => retry("away", { delayMs: 3_600_000 }));
    const worker = await at.start([work, late], { drain: true, notAwaited: ["late"] });
    let isEnded = false;
    void worker.ended.then(() => (isEnded = true));
    await at.pass(1_900, 100);
    expect(isEnded).toBe(false);
    await at.pass(2_000, 50);
    expect(isEnded).toBe(true);
    expect((await at.queue.stats()).states).toMatchObject({ done: 1, pending: 1 });
  });

  test("a maintenance tick takes back what a dead worker left, though this one is full", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add([{ kind: "left", key: "left" }, ...works("a", 1)]);
    await at.queue.claim({ worker: "dead", kinds: ["left"], leaseMs: 1_000 });
    await at.work(() => sleep(at.clock, 60_000), { concurrency: 1 });
    await at.pass(20_000, 1_000);
    expect(await at.task("left")).toMatchObject({ state: "pending", isSuspect: true });
  });
});

test("a worker with two bounds scales by what waits, and says so", async () => {
  await using at = openWorkerFixture("sqlite");
  await at.queue.add(works("a", 500));
  const worker = await at.work(() => sleep(at.clock, 1_000).then(() => done()), {
    concurrency: { min: 2, max: 8 },
    load: () => ({ loopLagMs: () => 0, memoryShare: () => 0.1, stop() {} }),
  });
  await at.pass(5_100, 100);
  expect(worker.look()).toMatchObject({
    concurrency: 3,
    scaled: { decision: "scale_up", reason: "backlog" },
  });
  worker.setConcurrency({ min: 6, max: 7 });
  expect(worker.look().concurrency).toBe(6);
  await at.pass(10_000, 100);
  expect(worker.look()).toMatchObject({ concurrency: 7, scaled: { reason: "at_max" } });
  worker.setConcurrency(1);
  await at.pass(6_000, 100);
  expect(worker.look()).toMatchObject({ concurrency: 1, atWork: 1, scaled: { reason: "fixed" } });
  expect(() => worker.setConcurrency({ min: 0, max: 1 })).toThrow("is not valid");
});
