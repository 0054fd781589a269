import { expect } from "vitest";
import { bulkRowsMax, type Operation } from "../../operation.ts";
import { keysOf, work, works, type QueueClause, type QueueFixture } from "../suite-fixture.ts";

export function bulkClauses(clause: QueueClause): void {
  clause("retry gives a dead letter all its attempts again and keeps its history", async (at) => {
    await at.add(work("a", { attemptsMax: 1 }));
    const { createdAtMs } = await at.find("a");
    const lease = await at.claimOne();
    await at.finish(lease, { kind: "retry", delayMs: 0, reason: "boom" });
    await at.time.advance(500);
    expect(await at.queue.retry()).toBe(1);
    expect(await at.find("a")).toMatchObject({
      state: "pending",
      used: 0,
      createdAtMs,
      dueAtMs: at.time.now().wallMs,
      finishedAtMs: 0,
      result: null,
      attempts: [{ token: lease.token, reason: "boom" }],
    });
    const again = await at.claimOne();
    expect(again.used).toBe(1);
    expect(again.token).toBeGreaterThan(lease.token);
  });

  clause("retry takes only what matches all of its filter", async (at) => {
    const ids = await deadLetters(at);
    const retried = async (filter: Parameters<typeof at.queue.retry>[0]) => {
      const count = await at.queue.retry(filter);
      const keys = keysOf(await at.queue.browse({ states: ["pending"] })).sort();
      expect(count).toBe(keys.length);
      for (const lease of await at.claim({ kinds: ["work", "other"] })) {
        await at.finish(lease, { kind: "fail", reason: "again" });
      }
      return keys;
    };
    expect(await retried({ job: "j", kind: "other" })).toEqual(["kind"]);
    expect(await retried({ gate: "g" })).toEqual(["gate"]);
    expect(await retried({ gate: "" })).toEqual(["job", "kind", "plain"]);
    expect(await retried({ ids: [ids.gate, ids.plain, ids.skipped, 999_999] })).toEqual([
      "gate",
      "plain",
    ]);
    expect(await retried({ ids: [] })).toEqual([]);
    expect(await retried({ states: ["skipped"] })).toEqual(["skipped"]);
    expect(await retried({})).toEqual(["gate", "job", "kind", "plain", "skipped"]);
  });

  clause("finishedBeforeMs takes what had finished before that moment", async (at) => {
    await at.add(...works("a", 2));
    const [first, second] = await at.claim();
    await at.finish(first!);
    await at.time.advance(1_000);
    const momentMs = at.time.now().ms;
    await at.finish(second!);
    expect(await at.queue.purge({ states: ["done"], finishedBeforeMs: momentMs })).toBe(1);
    expect(keysOf(await at.queue.browse())).toEqual(["a1"]);
  });

  clause("purge never touches what waits or runs", async (at) => {
    await at.add(work("running"));
    await at.claimOne();
    await at.add(work("pending"), work("later", { delayMs: 1_000 }));
    expect(await at.queue.purge({ states: ["done", "skipped", "failed"] })).toBe(0);
    expect(await at.queue.retry({ states: ["skipped", "failed"] })).toBe(0);
    expect(await at.queue.browse()).toHaveLength(3);
  });

  clause("a purge also forgets ended jobs and idle gates that have no task left", async (at) => {
    await at.add(work("a", { job: "j", gate: "plain" }), work("b", { job: "j", gate: "set" }));
    await at.queue.setGate("set", { delayMs: 100 });
    for (const lease of await at.claim()) await at.finish(lease);
    expect(await at.queue.purge({ states: ["done"] })).toBe(2);
    expect(await at.queue.job("j")).toMatchObject({ ended: null });
    await at.queue.seal("j");
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed" });
    await at.time.advance(1_000);
    expect(await at.queue.purge({ states: ["done"] })).toBe(0);
    expect(await at.queue.job("j")).toBeUndefined();
    expect(await at.queue.gate("plain")).toBeUndefined();
    expect(await at.queue.gate("set")).toMatchObject({ delayMs: 100 });
    await at.add(work("a", { job: "j", gate: "plain" }));
    expect(await at.claim()).toHaveLength(1);
  });

  clause("purge frees the key; the counters of the job keep what was", async (at) => {
    await at.add(work("a", { gate: "g" }), work("open", { delayMs: 9_000 }));
    const lease = await at.claimOne();
    await at.finish(lease);
    expect(await at.queue.purge({ states: ["done"] })).toBe(1);
    expect(await at.queue.show(lease.id)).toBeUndefined();
    expect(await at.finish(lease)).toBe("lost");
    expect(await at.queue.job("default")).toMatchObject({ added: 2, done: 1 });
    await at.add(work("a", { gate: "g" }));
    const again = await at.claimOne();
    expect(again.id).not.toBe(lease.id);
    expect(again).toMatchObject({ used: 1 });
  });

  clause("purged tasks no longer count in the statistics", async (at) => {
    await at.add(...works("a", 3, { gate: "g" }));
    for (const lease of await at.claim()) await at.finish(lease);
    await at.queue.purge({ states: ["done"] });
    expect(await at.queue.stats()).toMatchObject({ states: { done: 0 }, lanes: 0, gates: 0 });
  });

  clause("a gate keeps its settings and its delay when its tasks are purged", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(work("a", { gate: "g" }));
    await at.finish(await at.claimOne(), undefined, { sinceStartMs: 0 });
    await at.queue.purge({ states: ["done"] });
    await at.add(work("b", { gate: "g" }));
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1_000);
    expect((await at.claimOne()).pace).toMatchObject({ delayMs: 1_000 });
  });

  clause("one bulk step changes no more rows than it was allowed", async (at) => {
    await at.add(...works("a", 5));
    for (const lease of await at.claim()) await at.finish(lease, { kind: "fail", reason: "f" });
    const step = async (op: "retry" | "purge") => {
      const bulk = { filter: { states: ["failed"] }, rowsMax: 2 } as const;
      const one: Operation = op === "retry" ? { op, ...bulk } : { op, ...bulk, keepKeys: false };
      return (await at.store.commit([one]))[0];
    };
    expect(await step("retry")).toEqual({ changed: 2, hasMore: true });
    expect(await step("purge")).toEqual({ changed: 2, hasMore: true });
    expect(await step("purge")).toEqual({ changed: 1, hasMore: false });
    expect(await step("purge")).toEqual({ changed: 0, hasMore: false });
    // The task that finished first goes first.
    expect(keysOf(await at.queue.browse({ states: ["pending"] }))).toEqual(["a0", "a1"]);
  });

  clause("retry and purge go through any number of rows in chunks", async (at) => {
    const count = bulkRowsMax + 3;
    await at.add(...works("a", count));
    const leases = await at.claim({ limit: 10_000 });
    expect(leases).toHaveLength(count);
    await at.queue.finish(
      leases.map((lease) => ({ ...lease, outcome: { kind: "fail", reason: "f" } as const })),
    );
    const progress: number[] = [];
    expect(await at.queue.retry({}, (changed) => progress.push(changed))).toBe(count);
    expect(progress).toEqual([bulkRowsMax, count]);
    const again = await at.claim({ limit: 10_000 });
    await at.queue.finish(again.map((lease) => ({ ...lease, outcome: { kind: "done" } as const })));
    expect(await at.queue.purge({ states: ["done"] })).toBe(count);
    expect(await at.queue.browse()).toEqual([]);
  });
}

/** One failed task for each part of a filter, and one that was skipped. Returns their ids. */
async function deadLetters(at: QueueFixture) {
  await at.add(
    work("plain"),
    work("gate", { gate: "g" }),
    work("job", { job: "j" }),
    work("kind", { job: "j", kind: "other" }),
    work("skipped", { job: "k" }),
  );
  for (const lease of await at.claim({ kinds: ["work", "other"] })) {
    const kind = lease.key === "skipped" ? "skip" : "fail";
    await at.finish(lease, { kind, reason: "for the test" });
  }
  const tasks = await at.queue.browse();
  const idOf = (key: string) => tasks.find((task) => task.key === key)!.id;
  return { gate: idOf("gate"), plain: idOf("plain"), skipped: idOf("skipped") };
}
