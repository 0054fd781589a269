import { expect } from "vitest";
import { type QueueClause, statusesOf, work, works } from "../suite-fixture.ts";

export function addingClauses(clause: QueueClause): void {
  clause(
    "an add answers the id of each task, new or known, also of one that is archived",
    async (at) => {
      const [a] = await at.queue.add([work("a", { job: "j", gate: "g" })]);
      expect(a).toEqual({ status: "added", id: (await at.find("a")).id });
      const old = (await at.queue.add([work("old")]))[0]!.id!;
      await at.finish((await at.claim()).find(({ key }) => key === "old")!);
      await at.queue.archive({ states: ["done"] });

      const again = work("a", { job: "j", gate: "g", priority: 900 });
      const twice = [work("b"), again, work("b"), work("old"), { kind: "work" }];
      const answers = await at.queue.add(twice);
      const b = (await at.find("b")).id;
      const unnamed = answers[4]!.id!;
      expect(answers).toEqual([
        { status: "added", id: b },
        { status: "duplicate", id: a!.id },
        { status: "duplicate", id: b },
        { status: "duplicate", id: old },
        { status: "added", id: unnamed },
      ]);
      expect(await at.queue.show(unnamed)).toMatchObject({
        task: { id: unnamed, state: "pending" },
      });
      expect(new Set([a!.id, b, old, unnamed]).size).toBe(4);

      await at.queue.openJob("small", { budget: 1, gate: "small" });
      const [first, refused] = await at.queue.add([
        work("s1", { job: "small" }),
        work("s2", { job: "small" }),
      ]);
      expect(first).toEqual({ status: "added", id: (await at.find("s1")).id });
      expect(refused).toEqual({ status: "over_budget" });
    },
  );

  clause("each of many tasks gets its own id", async (at) => {
    const lanes = [{}, { gate: "g" }, { job: "j", gate: "h" }, { kind: "other" }];
    for (const [round, count] of [3, 63, 64, 300].entries()) {
      for (const [index, lane] of lanes.entries()) {
        const tasks = works(`r${round}-${index}-`, count, lane);
        const half = tasks.filter((_, place) => place % 2 === 1);
        await at.queue.add([tasks[0]!]);
        const known = await at.queue.add(half);
        const answers = await at.queue.add(tasks);
        const stored = await at.queue.browse({ keyPrefix: `r${round}-${index}-`, limit: 10_000 });
        const ids = new Map(stored.map(({ key, id }) => [key, id]));
        expect(answers.map(({ id }) => id)).toEqual(tasks.map(({ key }) => ids.get(key!)));
        expect(known.map(({ id }) => id)).toEqual(half.map(({ key }) => ids.get(key!)));
      }
    }
  });

  clause("a task is stored as it was given", async ({ queue, time, find }) => {
    const dueAtMs = time.now().wallMs + 1_000;
    await queue.add([
      {
        kind: "fetch",
        job: "crawl",
        gate: "example.org",
        key: "/a",
        payload: { url: "https://example.org/a", nested: [1, null, "x"] },
        priority: 731,
        dueAtMs,
        attemptsMax: 3,
      },
    ]);
    expect(await find("/a")).toEqual({
      id: expect.any(Number) as number,
      kind: "fetch",
      job: "crawl",
      gate: "example.org",
      key: "/a",
      payload: '{"url":"https://example.org/a","nested":[1,null,"x"]}',
      priority: 731,
      dueAtMs,
      createdAtMs: time.now().ms,
      state: "pending",
      token: 0,
      used: 0,
      attemptsMax: 3,
      isSuspect: false,
      expiresAtMs: 0,
      attempts: [],
      result: null,
      finishedAtMs: 0,
    });
  });

  clause("adding an identity again changes nothing but the priority", async (at) => {
    await at.add(work("a", { payload: 1, priority: 100 }));
    const before = await at.find("a");
    await at.time.advance(5);
    const again = work("a", { kind: "other", payload: 2, priority: 200, delayMs: 9_000 });
    expect(statusesOf(await at.queue.add([again]))).toEqual(["duplicate"]);
    expect(await at.find("a")).toEqual({ ...before, priority: 200 });
  });

  clause("job, gate and key together are the identity", async ({ add, queue }) => {
    await add(
      work("a"),
      work("a", { gate: "g" }),
      work("a", { job: "j" }),
      work("a", { job: "j", gate: "g" }),
    );
    expect(
      statusesOf(await queue.add([work("a", { job: "j", gate: "g", kind: "other" })])),
    ).toEqual(["duplicate"]);
  });

  clause("identities that only look alike when joined are different", async ({ add }) => {
    await add(
      work("c", { job: "a", gate: "b" }),
      work("b:c", { job: "a" }),
      work("c", { job: "a:b" }),
      work('"', { job: '","' }),
      work(',"', { job: '"' }),
    );
  });

  clause("a duplicate never lowers a priority", async ({ add, queue, find }) => {
    await add(work("a", { priority: 600 }));
    await queue.add([work("a", { priority: 599 })]);
    expect(await find("a")).toMatchObject({ priority: 600 });
  });

  clause("a duplicate leaves a running task as it is", async (at) => {
    await at.add(work("a", { priority: 100 }));
    await at.claimOne();
    const running = await at.find("a");
    expect(statusesOf(await at.queue.add([work("a", { priority: 900 })]))).toEqual(["duplicate"]);
    expect(await at.find("a")).toEqual(running);
  });

  clause("lesson 7: adding a finished task again does not run it again", async (at) => {
    await at.add(work("done"), work("failed"), work("skipped"));
    const [done, failed, skipped] = await at.claim();
    await at.finish(done!);
    await at.finish(failed!, { kind: "fail", reason: "no" });
    await at.finish(skipped!, { kind: "skip", reason: "no need" });
    const again = [work("done"), work("failed"), work("skipped")];
    expect(statusesOf(await at.queue.add(again))).toEqual(["duplicate", "duplicate", "duplicate"]);
    expect(await at.claim()).toEqual([]);
  });

  clause(
    "lesson 22: equal keys in one batch are one task with the highest priority",
    async (at) => {
      const batch = [300, 800, 500].map((priority) => work("a", { priority, payload: priority }));
      expect(statusesOf(await at.queue.add(batch))).toEqual(["added", "duplicate", "duplicate"]);
      expect(await at.find("a")).toMatchObject({ priority: 800, payload: "300" });
      expect(await at.queue.browse()).toHaveLength(1);
    },
  );

  clause("what goes beyond a job's budget is counted and not stored", async (at) => {
    await at.queue.openJob("j", { budget: 2 });
    const batch = works("a", 4, { job: "j" });
    expect(statusesOf(await at.queue.add(batch))).toEqual([
      "added",
      "added",
      "over_budget",
      "over_budget",
    ]);
    expect(await at.queue.browse({ job: "j" })).toHaveLength(2);
    expect(await at.queue.job("j")).toMatchObject({ added: 2, overBudget: 2, pending: 2 });
  });

  clause("a duplicate costs no budget", async (at) => {
    await at.queue.openJob("j", { budget: 2 });
    await at.add(work("a", { job: "j" }));
    expect(
      statusesOf(await at.queue.add([work("a", { job: "j" }), work("b", { job: "j" })])),
    ).toEqual(["duplicate", "added"]);
  });

  clause("a budget counts what was ever stored, also when it was purged since", async (at) => {
    await at.queue.openJob("j", { budget: 1 });
    await at.add(work("a", { job: "j" }));
    await at.finish(await at.claimOne());
    expect(await at.queue.purge({ states: ["done"] })).toBe(1);
    expect(statusesOf(await at.queue.add([work("b", { job: "j" })]))).toEqual(["over_budget"]);
  });

  clause("a sealed job takes tasks only from its own running tasks", async (at) => {
    await at.add(work("own", { job: "j" }), work("other", { job: "k" }));
    await at.queue.seal("j");
    const leases = await at.claim();
    const own = leases.find((lease) => lease.key === "own")!;
    const other = leases.find((lease) => lease.key === "other")!;
    const add = async (key: string, by?: { id: number; token: number }) =>
      statusesOf(await at.queue.add([work(key, { job: "j" })], by ? { by } : {}));

    expect(await add("outside")).toEqual(["closed"]);
    expect(await add("by other", other)).toEqual(["closed"]);
    expect(await add("by an old token", { id: own.id, token: own.token - 1 })).toEqual(["closed"]);
    expect(await add("by own", own)).toEqual(["added"]);
    expect(await at.finish(own, undefined, { add: [work("with finish", { job: "j" })] })).toBe(
      "done",
    );
    expect(await add("after finish", own)).toEqual(["closed"]);
    expect(await at.queue.job("j")).toMatchObject({ pending: 2, done: 1, ended: null });
  });

  clause("a seal stops a row of single adds", async (at) => {
    for (let one = 0; one < 10; one++) await at.add(work(`${one}`, { job: "j" }));
    await at.queue.seal("j");
    expect(statusesOf(await at.queue.add([work("late", { job: "j" })]))).toEqual(["closed"]);
  });

  clause("an ended job answers closed, and duplicate for what it knows", async (at) => {
    await at.add(work("a", { job: "j" }));
    await at.queue.seal("j");
    await at.finish(await at.claimOne());
    expect(
      statusesOf(await at.queue.add([work("b", { job: "j" }), work("a", { job: "j" })])),
    ).toEqual(["closed", "duplicate"]);
  });

  clause("a finish stores its new tasks and raises in the same step", async (at) => {
    await at.add(work("a"), work("later", { priority: 10, delayMs: 1_000 }));
    const lease = await at.claimOne();
    const more = {
      add: [work("b", { payload: { from: "a" } }), work("a")],
      raise: [{ key: "later", priority: 900 }],
    };
    expect(await at.finish(lease, { kind: "done", result: { n: 1 } }, more)).toBe("done");
    expect(await at.find("a")).toMatchObject({ state: "done", result: '{"n":1}' });
    expect(await at.find("b")).toMatchObject({ state: "pending", payload: '{"from":"a"}' });
    expect(await at.find("later")).toMatchObject({ priority: 900 });
  });

  clause("a repeated finish stores its new tasks once", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne();
    const more = { add: [work("b")], raise: [] };
    expect(await at.finish(lease, undefined, more)).toBe("done");
    expect(await at.finish(lease, undefined, more)).toBe("done");
    expect(await at.queue.browse()).toHaveLength(2);
  });

  clause("a job bound to a gate gives it to all its tasks", async (at) => {
    await at.queue.openJob("site", { gate: "example.org" });
    await at.add(work("a", { job: "site" }), work("b", { job: "site", gate: "example.org" }));
    expect(
      statusesOf(await at.queue.add([work("a", { job: "site", gate: "example.org" })])),
    ).toEqual(["duplicate"]);
    expect(await at.find("a")).toMatchObject({ gate: "example.org" });
    expect((await at.claim())[0]).toMatchObject({ gate: "example.org" });
  });

  clause("a bound job refuses another gate, and the whole add with it", async (at) => {
    await at.queue.openJob("site", { gate: "example.org" });
    const batch = [work("a"), work("b", { job: "site", gate: "other.org" })];
    await expect(at.queue.add(batch)).rejects.toMatchObject({
      kind: "invalid",
      code: "job_bound_to_gate",
    });
    expect(await at.queue.browse()).toEqual([]);
  });

  clause("keys are compared character by character", async ({ add, queue, find }) => {
    const keys = [
      "plain",
      "Plain",
      "plain ",
      "é",
      "e\u0301",
      "ß",
      "ss",
      "日本語",
      "🦔",
      "🦔🦔",
      "%",
      "_",
      "'; drop table task; --",
      "a/b?c=1&d=%20#e",
      "\u00a0",
      "x".repeat(2_048),
      `${"x".repeat(2_047)}y`,
    ];
    await add(...keys.map((key) => work(key, { payload: key })));
    expect(statusesOf(await queue.add(keys.map((key) => work(key))))).toEqual(
      keys.map(() => "duplicate"),
    );
    for (const key of keys) {
      expect(await find(key)).toMatchObject({ key, payload: JSON.stringify(key) });
    }
  });

  clause("names of kinds, jobs, gates and workers may be any text", async (at) => {
    const name = '🦔 O\'Brien & «söhne» 100% \\ "x"'.padEnd(255, "é");
    const task = { kind: name, job: name, gate: name, key: name };
    await at.add(task);
    const lease = await at.claimOne({ worker: name, kinds: [name] });
    expect(lease).toMatchObject(task);
    expect(await at.queue.show(lease.id)).toMatchObject({ worker: name });
    expect((await at.queue.stats()).kinds).toMatchObject([{ kind: name, running: 1 }]);
  });

  clause("a large payload comes back as it went in", async (at) => {
    const payload = { text: "söme 🦔 text \u0000 \ud800 ".repeat(8_000), n: 0.1 };
    await at.add(work("a", { payload }));
    expect((await at.claimOne()).payload).toEqual(payload);
  });

  clause("ten thousand tasks fit into one add", async (at) => {
    await at.add(...works("a", 10_000));
    expect((await at.queue.stats()).states.pending).toBe(10_000);
    expect(await at.claim({ limit: 3 })).toHaveLength(3);
  });
}
