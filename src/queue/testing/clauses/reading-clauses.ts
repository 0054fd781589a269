import { expect, vi } from "vitest";
import type { FinishInput } from "../../queue.ts";
import type { BrowseQuery, EndedQuery } from "../../queue-store.ts";
import type { Task } from "../../task.ts";
import {
  dueIn,
  keysOf,
  work,
  works,
  type QueueClause,
  type QueueFixture,
} from "../suite-fixture.ts";
import { readAll } from "../suite-recount.ts";

export function readingClauses(clause: QueueClause): void {
  clause("browse filters by state, kind, job, gate, key and payload", async (at) => {
    await at.add(
      work("a/1", { payload: { note: "Pflaster & Söhne" } }),
      work("a/2", { job: "j" }),
      work("b/1", { gate: "g", payload: "100%" }),
      work("b/2", { kind: "other", payload: { note: "pflaster" } }),
      work("done"),
    );
    await at.queue.pause("j");
    await at.queue.block("g", 60_000);
    const leases = await at.claim();
    await at.finish(leases.find(({ key }) => key === "done")!);
    const found = async (query: Partial<BrowseQuery>) => keysOf(await at.queue.browse(query));

    expect(await found({})).toEqual(["a/1", "a/2", "b/1", "b/2", "done"]);
    expect(await found({ states: ["done", "running"] })).toEqual(["a/1", "done"]);
    expect(await found({ states: [] })).toEqual([]);
    expect(await found({ kind: "other" })).toEqual(["b/2"]);
    expect(await found({ job: "j" })).toEqual(["a/2"]);
    expect(await found({ gate: "g" })).toEqual(["b/1"]);
    expect(await found({ gate: "" })).toEqual(["a/1", "a/2", "b/2", "done"]);
    expect(await found({ keyPrefix: "a/" })).toEqual(["a/1", "a/2"]);
    expect(await found({ text: "Söhne" })).toEqual(["a/1"]);
    expect(await found({ text: "pflaster" })).toEqual(["b/2"]);
    expect(await found({ text: "0%" })).toEqual(["b/1"]);
    expect(await found({ keyPrefix: "a/", job: "j", states: ["pending"] })).toEqual(["a/2"]);
    expect(await found({ keyPrefix: "a/", gate: "g" })).toEqual([]);
    expect(await found({ kind: "nobody" })).toEqual([]);
  });

  clause("what a filter looks for is text, not a pattern", async (at) => {
    await at.add(
      work("100%", { payload: "a_b" }),
      work("100 percent", { payload: "axb" }),
      work("1_0"),
      work("x[a-z]*?"),
      work("ABC"),
      work("abc\u{10ffff}"),
    );
    const found = async (query: Partial<BrowseQuery>) => keysOf(await at.queue.browse(query));
    expect(await found({ keyPrefix: "100%" })).toEqual(["100%"]);
    expect(await found({ keyPrefix: "1_" })).toEqual(["1_0"]);
    expect(await found({ keyPrefix: "x[" })).toEqual(["x[a-z]*?"]);
    expect(await found({ keyPrefix: "*" })).toEqual([]);
    expect(await found({ keyPrefix: "abc" })).toEqual(["abc\u{10ffff}"]);
    expect(await found({ text: "a_b" })).toEqual(["100%"]);
  });

  clause("browse pages in order of id, each task once, also while others are added", async (at) => {
    await at.add(...works("a", 7));
    const seen: string[] = [];
    let afterId = 0;
    for (let page = 0; page < 4; page++) {
      const tasks = await at.queue.browse({ afterId, limit: 3 });
      seen.push(...keysOf(tasks));
      afterId = tasks.at(-1)?.id ?? afterId;
      if (page === 0) await at.add(work("new"));
      if (page === 1) await at.claim({ limit: 2 });
    }
    expect(seen).toEqual(["a0", "a1", "a2", "a3", "a4", "a5", "a6", "new"]);
  });

  clause("ended lists finished tasks in the order in which they ended, both ways", async (at) => {
    await at.add(...works("a", 5), work("other", { kind: "other", job: "j", gate: "g" }));
    const leases = [...(await at.claim()), await at.claimOne({ kinds: ["other"] })];
    const outcomes: Readonly<Record<string, FinishInput["outcome"]>> = {
      a3: { kind: "done" },
      other: { kind: "done" },
      a0: { kind: "fail", reason: "no" },
      a4: { kind: "skip", reason: "not wanted" },
    };
    const lease = (key: string) => leases.find((one) => one.key === key)!;
    for (const [key, outcome] of Object.entries(outcomes)) {
      await at.finish(lease(key), outcome);
      await at.time.advance(10);
    }
    await at.finish(lease("a1"), { kind: "retry", delayMs: 0, reason: "later" });
    const found = async (query: Partial<EndedQuery>) => keysOf(await at.queue.ended(query));

    expect(await found({})).toEqual(["a3", "other", "a0", "a4"]);
    expect(await found({ isNewestFirst: true })).toEqual(["a4", "a0", "other", "a3"]);
    expect(await found({ states: ["failed", "skipped"] })).toEqual(["a0", "a4"]);
    expect(await found({ states: ["done", "done"] })).toEqual(["a3", "other"]);
    expect(await found({ states: [] })).toEqual([]);
    expect(await found({ kind: "work", isNewestFirst: true })).toEqual(["a4", "a0", "a3"]);
    expect(await found({ job: "j" })).toEqual(["other"]);
    expect(await found({ gate: "", limit: 2 })).toEqual(["a3", "a0"]);
    expect(await found({ kind: "nobody" })).toEqual([]);
    expect(await at.queue.ended({ limit: 1 })).toEqual([await at.find("a3")]);
  });

  clause("ended pages through tasks that ended at one moment, each once", async (at) => {
    await at.add(...works("a", 7));
    const leases = await at.claim();
    const end = (from: number, to: number) =>
      at.queue.finish(
        leases.slice(from, to).map(({ id, token }) => ({ id, token, outcome: { kind: "done" } })),
      );
    await end(0, 5);
    for (const isNewestFirst of [false, true]) {
      const whole = await at.queue.ended({ isNewestFirst });
      const paged: Task[] = [];
      for (let page = 0; page < 4; page++) {
        const after = paged.at(-1);
        paged.push(...(await at.queue.ended({ isNewestFirst, limit: 2, ...(after && { after }) })));
      }
      expect(paged).toEqual(whole);
      expect(paged).toHaveLength(5);
    }
    const last = (await at.queue.ended()).at(-1)!;
    await at.time.advance(10);
    await end(5, 7);
    expect(keysOf(await at.queue.ended({ after: last }))).toHaveLength(2);
  });

  clause("show names the worker that holds a task, its age and every attempt", async (at) => {
    await at.add(work("a", { gate: "g" }));
    await at.time.advance(100);
    const first = await at.claimOne({ worker: "w7" });
    expect(await at.queue.show(first.id)).toMatchObject({ worker: "w7", ageMs: 100 });
    await at.finish(first, { kind: "retry", delayMs: 0, reason: "one" });
    const shown = await at.queue.show(first.id);
    expect(shown).toMatchObject({ worker: undefined, ageMs: 100 });
    expect(shown!.task).toEqual(await at.find("a"));
    expect(shown!.task.attempts).toMatchObject([{ outcome: "retry", reason: "one" }]);
  });

  clause("what is not there is undefined", async ({ queue }) => {
    expect(await queue.show(1)).toBeUndefined();
    expect(await queue.gate("g")).toBeUndefined();
    expect(await queue.job("j")).toBeUndefined();
    expect(await queue.browse()).toEqual([]);
  });

  clause("statistics are what a recount of all tasks gives", async (at) => {
    await mixedQueue(at);
    const tasks = await at.queue.browse({ limit: 10_000 });
    const stats = await at.queue.stats();
    for (const state of ["pending", "running", "done", "skipped", "failed"] as const) {
      const actual = tasks.filter((task) => task.state === state).length;
      expect(actual, state).toBeGreaterThan(0);
      expect(stats.states[state]).toBe(actual);
    }
    expect(stats.kinds.map(({ kind }) => kind)).toEqual(["other", "work"]);
    for (const { kind, pending, running, done } of stats.kinds) {
      const own = tasks.filter((task) => task.kind === kind);
      expect([pending, running, done]).toEqual(
        ["pending", "running", "done"].map((s) => own.filter(({ state }) => state === s).length),
      );
    }
    const lanes = new Set(tasks.map(({ kind, job, gate }) => JSON.stringify([kind, job, gate])));
    expect(stats.lanes).toBe(lanes.size);
    expect(stats.gates).toBe(2);
    expect(stats.jobs).toEqual({ open: 2, paused: 1, ended: 1 });
    // The fixture recounts every lane, gate and job after each clause.
  });

  clause("E11: a new queue is of this version, and no upgrade has to be finished", async (at) => {
    await mixedQueue(at);
    const before = await readAll(at.store);
    const { format, readableBy } = await at.queue.format();
    expect(readableBy).toBe(format);
    expect(await at.queue.finishUpgrade()).toEqual({ format, readableBy });
    expect(await readAll(at.store)).toEqual(before);
  });

  clause("lesson 16: reconcile finds no drift, also when asked to repair", async (at) => {
    await mixedQueue(at);
    const before = await readAll(at.store);
    expect(await at.queue.reconcile({ repair: true })).toMatchObject({ drift: [], orphans: 0 });
    expect(await readAll(at.store)).toEqual(before);
  });

  clause(
    "wakeInMs is 0 when something can be claimed and undefined when nothing waits",
    async (at) => {
      const wakeInMs = () => at.queue.wakeInMs(["work"]);
      expect(await wakeInMs()).toBeUndefined();
      await at.add(work("a"));
      expect(await wakeInMs()).toBe(0);
      expect(await at.queue.wakeInMs(["other"])).toBeUndefined();
      await at.queue.pause("default");
      expect(await wakeInMs()).toBeUndefined();
      await at.queue.resume("default");
      await at.finish(await at.claimOne());
      expect(await wakeInMs()).toBeUndefined();
    },
  );

  clause("wakeInMs knows due times, gates and leases, and takes the first", async (at) => {
    const wakeInMs = () => at.queue.wakeInMs(["work"]);
    await at.add(work("later", dueIn(at, 9_000)));
    expect(await wakeInMs()).toBe(9_000);
    await at.add(work("gated", { gate: "g" }));
    await at.queue.block("g", 5_000);
    expect(await wakeInMs()).toBe(5_000);
    await at.add(work("leased"));
    await at.claimOne({ leaseMs: 2_000 });
    expect(await wakeInMs()).toBe(2_000);
    await at.time.advance(500);
    expect(await wakeInMs()).toBe(1_500);
    await at.time.advance(1_500);
    expect(await wakeInMs()).toBe(0);
  });

  clause("wakeInMs may be early for a task behind a closed gate, never late", async (at) => {
    await at.add(work("a", { gate: "g", delayMs: 3_000 }));
    await at.queue.block("g", 7_000);
    const startMs = at.time.now().ms;
    const leased: string[] = [];
    for (let wakes = 0; wakes < 3 && leased.length === 0; wakes++) {
      const inMs = (await at.queue.wakeInMs(["work"]))!;
      expect(inMs, "a wake at once would spin").toBeGreaterThan(0);
      await at.time.advance(inMs);
      leased.push(...keysOf(await at.claim()));
    }
    expect(leased).toEqual(["a"]);
    expect(at.time.now().ms - startMs).toBe(7_000);
  });

  clause(
    "wakeInMs counts a waiting suspect for a worker without tasks in flight alone",
    async (at) => {
      await at.queue.openJob("j");
      await at.add(work("a", { job: "j" }), work("held", { job: "k" }));
      await at.claim({ worker: "dead", limit: 1, leaseMs: 10_000 });
      await at.queue.pause("j");
      await at.time.advance(10_000);
      await at.queue.sweep();
      await at.claim({ worker: "busy" });
      expect(await at.queue.wakeInMs(["work"], "idle")).not.toBe(0);
      await at.queue.resume("j");
      expect(await at.queue.wakeInMs(["work"], "idle")).toBe(0);
      expect(await at.queue.wakeInMs(["other"], "idle")).not.toBe(0);
      expect(await at.queue.wakeInMs(["work"], "busy")).not.toBe(0);
      expect(await at.queue.wakeInMs(["work"])).not.toBe(0);
      expect(await at.claim({ worker: "idle" })).toHaveLength(1);
    },
  );

  clause("wakeInMs does not wake for what only others can set free", async (at) => {
    await at.queue.openJob("j", { concurrency: 1 });
    await at.add(...works("a", 2, { job: "j" }), ...works("b", 3, { gate: "g" }));
    await at.claim({ burst: 1, leaseMs: 60_000 });
    expect(await at.queue.wakeInMs(["work"])).toBe(60_000);
  });

  clause("waking when it says so finds the task", async (at) => {
    await at.queue.setGate("g", { delayMs: 777 });
    await at.add(...works("a", 2, { gate: "g" }));
    await at.finish(await at.claimOne({ burst: 1 }), undefined, { sinceStartMs: 33 });
    const inMs = (await at.queue.wakeInMs(["work"]))!;
    expect(inMs).toBe(744);
    await at.time.advance(inMs);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("lesson 25: a watcher is notified of what another opener adds", async (at) => {
    const other = await at.another();
    let heard = 0;
    const stop = at.queue.watch(() => heard++);
    await other.add([work("a")]);
    await vi.waitFor(() => expect(heard).toBeGreaterThan(0), { interval: 5 });
    stop();
    stop();
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a watcher is notified of its own opener's writes, until it stops", async (at) => {
    let heard = 0;
    const stop = at.queue.watch(() => heard++);
    await at.add(work("a"));
    await vi.waitFor(() => expect(heard).toBeGreaterThan(0), { interval: 5 });
    stop();
    const before = heard;
    await at.add(work("b"));
    await at.another();
    expect(heard).toBe(before);
  });
}

/** Tasks in all states, created at different times. */
async function mixedQueue(at: QueueFixture): Promise<void> {
  await at.queue.setGate("slow", { delayMs: 500, limit: 2 });
  await at.add(
    ...works("a", 6, { attemptsMax: 2 }),
    ...works("b", 4, { gate: "slow", job: "j" }),
    ...works("c", 3, { gate: "h", kind: "other" }),
    ...works("d", 2, { job: "gone" }),
    ...works("e", 2, { job: "held", delayMs: 5_000 }),
  );
  await at.queue.cancel("gone");
  await at.queue.pause("held");
  const leases = await at.claim({ limit: 8, kinds: ["work", "other"], leaseMs: 2_000 });
  await at.time.advance(1_000);
  const outcomes = [
    { kind: "done" },
    { kind: "fail", reason: "f" },
    { kind: "retry", delayMs: 60_000, reason: "r" },
    { kind: "skip", reason: "s" },
  ] as const;
  const kept = leases.length - 3;
  for (const [index, lease] of leases.slice(0, kept).entries()) {
    await at.finish(lease, outcomes[index % 4]!, { sinceStartMs: 10 });
  }
  await at.extend(leases.at(-1)!, 60_000);
  await at.time.advance(1_000);
  await at.queue.sweep();
  await at.add(...works("f", 2), work("g", { kind: "other" }));
}
