import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { sleep } from "../base/clock.ts";
import type { Queue } from "../queue/index.ts";
import { done } from "./outcome.ts";
import { backends, openWorkerFixture, works } from "./testing/worker-fixture.ts";

describe.each(backends)("a worker that is stopped, on %s", (backend) => {
  test("lesson 19: what it had not begun goes back at once, uncounted; the rest is finished", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.setGate("a.example", { delayMs: 2_000 });
    await at.queue.add([...works("run", 5, { gate: "a.example" }), ...works("a", 10)]);
    const worker = await at.work(() => sleep(at.clock, 5_000).then(() => done()), {
      concurrency: 3,
    });
    await at.pass(100);
    const stopped = worker.stop();
    await at.pass(20);
    const { pending, running } = (await at.queue.stats()).states;
    expect({ pending, running }).toEqual({ pending: 12, running: 3 });
    expect((await at.task("run4")).used).toBe(0);
    await at.pass(6_000, 500);
    await stopped;
    expect((await at.queue.stats()).states).toMatchObject({ done: 3, pending: 12, running: 0 });
    await worker.ended;
  });

  test("what takes longer than the time of grace is ended and released, uncounted", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 2));
    const reasons: string[] = [];
    const worker = await at.work(
      ({ task, signal }) =>
        task.key === "a0"
          ? sleep(at.clock, 500_000, signal).catch(() => {
              reasons.push((signal.reason as AppError).code);
            })
          : new Promise(() => {}), // and this one does not even listen
      { graceMs: 3_000 },
    );
    await at.pass(100);
    const stopped = worker.stop();
    await at.pass(2_900, 100);
    expect(reasons).toEqual([]);
    await at.pass(300, 100);
    await stopped;
    expect(reasons).toEqual(["stopping"]);
    expect((await at.queue.stats()).states).toMatchObject({ pending: 2, running: 0 });
    expect((await at.task("a0")).used).toBe(0);
  });

  test("a second signal does not wait: it ends and gives back at once", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 2));
    const worker = await at.work(({ signal }) => sleep(at.clock, 500_000, signal));
    await at.pass(100);
    const stopped = worker.stop();
    await at.pass(100);
    const aborted = worker.abort();
    await at.settle();
    await Promise.all([stopped, aborted]);
    expect((await at.queue.stats()).states).toMatchObject({ pending: 2, running: 0 });
  });

  test("what a claim brings while it stops goes back too", async () => {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      async claim(request) {
        const found = await queue.claim(request);
        await gate;
        return found;
      },
    }));
    await at.queue.add(works("a", 2));
    let starts = 0;
    const worker = await at.work(() => void (starts += 1));
    await at.settle();
    const stopped = worker.stop();
    letGo();
    await at.pass(30_000, 1_000);
    await stopped;
    expect(starts).toBe(0);
    expect((await at.queue.stats()).states).toMatchObject({ pending: 2, running: 0 });
  });

  test("a queue that never answers does not keep it from ending", async () => {
    await using at = openWorkerFixture(backend, (queue: Queue) => ({
      ...queue,
      release: () => new Promise(() => {}),
    }));
    await at.queue.add(works("a", 1));
    const worker = await at.work(() => new Promise(() => {}), { graceMs: 1_000 });
    await at.pass(100);
    const stopped = worker.stop();
    await at.pass(12_000, 200);
    await stopped;
    expect(at.lines.map(({ message }) => message)).toContain(
      "tasks could not be released: their leases will expire",
    );
  });

  test("nothing is left behind: no timer, no watcher", async () => {
    await using at = openWorkerFixture(backend);
    await at.queue.add(works("a", 3));
    const before = at.clock.pendingTimers();
    const worker = await at.work(() => done());
    await at.pass(100);
    const stopped = worker.stop();
    await at.pass(6_000, 500);
    await stopped;
    expect(at.clock.pendingTimers()).toBe(before);
  });
});
