import { expect } from "vitest";
import { dueIn, keysOf, work, works, type QueueClause } from "../suite-fixture.ts";

export function priorityClauses(clause: QueueClause): void {
  clause("the highest priority goes first, the oldest among equals", async (at) => {
    const priorities = [500, 0, 1_000, 500, 999, 0];
    await at.add(...priorities.map((priority, index) => work(`a${index}`, { priority })));
    const order: string[] = [];
    for (let round = 0; round < 6; round++) order.push((await at.claimOne({ limit: 1 })).key);
    expect(order).toEqual(["a2", "a4", "a0", "a3", "a1", "a5"]);
  });

  clause("one claim takes the same tasks in the same order", async (at) => {
    const priorities = [500, 0, 1_000, 500, 999, 0];
    await at.add(...priorities.map((priority, index) => work(`a${index}`, { priority })));
    expect(keysOf(await at.claim({ limit: 4 }))).toEqual(["a2", "a4", "a0", "a3"]);
  });

  clause("the best lane goes first, and no longer than it is the best", async (at) => {
    await at.add(
      work("x9", { kind: "x", priority: 900 }),
      work("x1", { kind: "x", priority: 100 }),
      work("y5", { kind: "y", priority: 500 }),
      work("y4", { kind: "y", priority: 400 }),
      work("z7", { kind: "x", job: "j", priority: 700 }),
      work("z2", { kind: "x", job: "j", priority: 200 }),
    );
    const kinds = ["x", "y"];
    expect(keysOf(await at.claim({ kinds, limit: 5 }))).toEqual(["x9", "z7", "y5", "y4", "z2"]);
  });

  clause("the gate whose best task is best goes first", async (at) => {
    await at.add(
      ...works("low", 3, { gate: "low", priority: 400 }),
      ...works("high", 2, { gate: "high", priority: 300 }),
      work("top", { gate: "high", priority: 900 }),
    );
    expect(keysOf(await at.claim({ limit: 1 }))).toEqual(["top", "high0", "high1"]);
    expect((await at.claim({ limit: 1 }))[0]!.gate).toBe("low");
  });

  clause("a job does not rotate past a higher priority of another", async (at) => {
    await at.add(
      ...works("a", 4, { job: "a", priority: 600 }),
      ...works("b", 4, { job: "b", priority: 599 }),
    );
    const served: string[] = [];
    for (let round = 0; round < 6; round++) served.push((await at.claimOne({ limit: 1 })).job);
    expect(served).toEqual(["a", "a", "a", "a", "b", "b"]);
  });

  clause("raise moves a pending task forward", async (at) => {
    await at.add(
      ...works("a", 3, { priority: 100 }),
      ...works("g", 3, { gate: "g", priority: 50 }),
    );
    const raises = [
      { key: "a2", priority: 300 },
      { key: "g1", gate: "g", priority: 200 },
    ];
    expect(await at.queue.raise(raises)).toEqual(["raised", "raised"]);
    const order: string[] = [];
    for (let round = 0; round < 3; round++) {
      order.push(...keysOf(await at.claim({ limit: 1, burst: 2 })));
    }
    expect(order).toEqual(["a2", "g1", "g0", "a0"]);
  });

  clause("raise only ever raises, and counts what changed nothing", async (at) => {
    await at.add(work("a", { priority: 500 }));
    const raises = [499, 500, 501, 501, 0].map((priority) => ({ key: "a", priority }));
    expect(await at.queue.raise(raises)).toEqual([
      "unchanged",
      "unchanged",
      "raised",
      "unchanged",
      "unchanged",
    ]);
    expect(await at.find("a")).toMatchObject({ priority: 501 });
    expect((await at.queue.stats()).raises).toEqual({ raised: 1, unchanged: 4 });
  });

  clause("raise with isDueNow ends the wait of a scheduled task and of a retry", async (at) => {
    await at.add(work("later", dueIn(at, 60_000)), work("tried"), work("due"));
    const tried = (await at.claim({ limit: 3 })).find(({ key }) => key === "tried")!;
    await at.finish(tried, { kind: "retry", delayMs: 60_000, reason: "timeout" });
    const raises = ["later", "tried", "due"].map((key) => ({ key, priority: 0, isDueNow: true as const })); // prettier-ignore
    expect(await at.queue.raise(raises)).toEqual(["raised", "raised", "unchanged"]);
    expect(keysOf(await at.claim({ limit: 3 })).sort()).toEqual(["later", "tried"]);
    expect((await at.queue.reconcile()).drift).toEqual([]);
  });

  clause("raise leaves running and finished tasks alone", async (at) => {
    await at.add(work("done", { priority: 1 }), work("running", { priority: 0 }));
    const [done] = await at.claim();
    await at.finish(done!);
    const before = await at.queue.browse();
    const raises = ["done", "running"].map((key) => ({ key, priority: 900 }));
    expect(await at.queue.raise(raises)).toEqual(["unchanged", "unchanged"]);
    expect(await at.queue.browse()).toEqual(before);
  });

  clause("raise says when there is no such task", async (at) => {
    await at.add(work("a", { job: "j", gate: "g" }));
    const raises = [
      { key: "a", priority: 900 },
      { key: "a", job: "j", priority: 900 },
      { key: "a", job: "j", gate: "g", priority: 900 },
    ];
    expect(await at.queue.raise(raises)).toEqual(["absent", "absent", "raised"]);
  });

  clause("raise finds a task of a bound job without its gate, as add does", async (at) => {
    await at.queue.openJob("site", { gate: "example.org" });
    await at.add(work("/a", { job: "site", priority: 1 }), work("seed", { job: "site" }));
    expect(await at.queue.raise([{ job: "site", key: "/a", priority: 2 }])).toEqual(["raised"]);
    const [seed] = await at.claim({ burst: 1 });
    await at.finish(seed!, undefined, { raise: [{ job: "site", key: "/a", priority: 3 }] });
    expect(await at.find("/a")).toMatchObject({ priority: 3 });
  });

  clause("raise reaches tasks that are due later, retried or suspect", async (at) => {
    await at.add(work("retried", { priority: 9 }), work("suspect", { priority: 8 }));
    const [retried] = await at.claim({ leaseMs: 1_000 });
    await at.finish(retried!, { kind: "retry", delayMs: 5_000, reason: "r" });
    await at.time.advance(1_000);
    await at.queue.sweep();
    await at.add(work("later", { priority: 7, ...dueIn(at, 5_000) }));
    const keys = ["retried", "suspect", "later"];
    const raises = keys.map((key, index) => ({ key, priority: 100 + index }));
    expect(await at.queue.raise(raises)).toEqual(["raised", "raised", "raised"]);
    for (const [index, key] of keys.entries()) {
      expect(await at.find(key)).toMatchObject({ priority: 100 + index });
    }
    await at.finish(await at.claimOne());
    await at.time.advance(5_000);
    expect(keysOf(await at.claim())).toEqual(["later", "retried"]);
  });

  clause("a task that becomes due takes its place by priority", async (at) => {
    await at.add(work("later", { priority: 900, ...dueIn(at, 100) }), ...works("a", 2));
    expect((await at.claimOne({ limit: 1 })).key).toBe("a0");
    await at.time.advance(100);
    expect((await at.claimOne({ limit: 1 })).key).toBe("later");
    expect((await at.claimOne({ limit: 1 })).key).toBe("a1");
  });
}
