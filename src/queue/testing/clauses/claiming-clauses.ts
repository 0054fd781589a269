import { expect } from "vitest";
import { dueIn, keysOf, leaseMs, work, works, type QueueClause } from "../suite-fixture.ts";

export function claimingClauses(clause: QueueClause): void {
  clause("lesson 1: a claim returns exactly the tasks it leased", async (at) => {
    await at.add(...works("a", 5));
    const first = await at.claim({ limit: 2 });
    const second = await at.claim({ limit: 2 });
    const third = await at.claim({ limit: 2 });
    expect([first.length, second.length, third.length]).toEqual([2, 2, 1]);
    expect(keysOf([...first, ...second, ...third])).toEqual(["a0", "a1", "a2", "a3", "a4"]);
    expect(await at.claim()).toEqual([]);
    expect(await at.queue.browse({ states: ["running"] })).toHaveLength(5);
  });

  clause("a lease says all a handler needs", async (at) => {
    await at.queue.setGate("g", { delayMs: 250 });
    await at.add(
      work("a", { job: "j", gate: "g", payload: { n: 1 }, priority: 7, attemptsMax: 2 }),
    );
    const createdAtMs = at.time.now().ms;
    await at.time.advance(10);
    const lease = await at.claimOne({ leaseMs: 5_000 });
    const stored = await at.find("a");
    expect(lease).toEqual({
      id: stored.id,
      token: stored.token,
      kind: "work",
      job: "j",
      gate: "g",
      key: "a",
      payload: { n: 1 },
      priority: 7,
      createdAtMs,
      used: 1,
      attemptsMax: 2,
      isSuspect: false,
      leaseMs: 5_000,
      pace: { delayMs: 250, limit: 1, isRun: true },
    });
    expect(stored).toMatchObject({
      state: "running",
      used: 1,
      expiresAtMs: at.time.now().ms + 5_000,
    });
  });

  clause("a task without a gate has no pace", async ({ add, claimOne }) => {
    await add(work("a"));
    expect("pace" in (await claimOne())).toBe(false);
  });

  clause("a claim takes only the kinds it names", async ({ add, claim }) => {
    await add(work("a"), work("b", { kind: "other" }), work("c", { kind: "third" }));
    expect(keysOf(await claim({ kinds: ["other", "unknown"] }))).toEqual(["b"]);
    expect(keysOf(await claim({ kinds: ["work", "third"] })).sort()).toEqual(["a", "c"]);
  });

  clause("a claim on an empty queue is empty", async ({ queue }) => {
    expect(await queue.claim({ worker: "w1", kinds: ["work"] })).toEqual({
      leases: [],
      hasSuspect: false,
    });
  });

  clause("the same request gets the same leases again", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000, limit: 2 });
    await at.add(...works("a", 3), ...works("g", 4, { gate: "g" }));
    const first = await at.claim({ requestId: "r1", limit: 4 });
    const again = await at.claim({ requestId: "r1", limit: 4 });
    expect(again).toHaveLength(first.length);
    for (const lease of first) expect(again).toContainEqual(lease);
    for (const lease of first) expect(await at.find(lease.key)).toMatchObject({ used: 1 });
  });

  clause("a repeated request gets what is left of its leases, and nothing else", async (at) => {
    await at.add(...works("a", 4));
    const [done, released] = await at.claim({ requestId: "r1", limit: 3 });
    await at.finish(done!);
    await at.release(released!);
    expect(keysOf(await at.claim({ requestId: "r1", limit: 3 }))).toEqual(["a2"]);
    await at.finish((await at.claim({ requestId: "r1" }))[0]!);
    expect(await at.claim({ requestId: "r1", limit: 3 })).toEqual([]);
  });

  clause("a request that got nothing may be repeated and get something", async (at) => {
    expect(await at.claim({ requestId: "r1" })).toEqual([]);
    await at.add(work("a"));
    expect(keysOf(await at.claim({ requestId: "r1" }))).toEqual(["a"]);
  });

  clause("a request id belongs to its worker", async (at) => {
    await at.add(...works("a", 2));
    await at.claim({ requestId: "r1", limit: 1 });
    const other = await at.claim({ requestId: "r1", limit: 1, worker: "w2" });
    expect(keysOf(other)).toEqual(["a1"]);
  });

  clause("a request repeated through another opener gets the same leases", async (at) => {
    await at.add(...works("a", 3));
    const request = { worker: "w1", kinds: ["work"], limit: 2, leaseMs, requestId: "r1" };
    const first = await at.queue.claim(request);
    const other = await at.another();
    expect(await other.claim(request)).toEqual(first);
  });

  clause("a task that is due later is not leased before its moment", async (at) => {
    await at.add(work("later", dueIn(at, 1_000)), work("now"));
    expect(keysOf(await at.claim())).toEqual(["now"]);
    await at.time.advance(999);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1);
    expect(keysOf(await at.claim())).toEqual(["later"]);
  });

  clause("tokens rise with every claim, across openers", async (at) => {
    await at.add(...works("a", 6));
    const other = await at.another();
    const tokens: number[] = [];
    for (const queue of [at.queue, other, at.queue, other]) {
      const { leases } = await queue.claim({ worker: "w1", kinds: ["work"] });
      tokens.push(leases[0]!.token);
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect(tokens.every(Number.isSafeInteger)).toBe(true);
  });

  clause("a token never repeats for a task", async (at) => {
    await at.add(work("a", { attemptsMax: 10 }));
    const tokens: number[] = [];
    for (let round = 0; round < 4; round++) {
      const lease = await at.claimOne();
      tokens.push(lease.token);
      if (round % 2 === 0) await at.release(lease);
      else await at.finish(lease, { kind: "retry", delayMs: 0, reason: "again" });
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  clause("tokens rise above all that a restored backup has forgotten", async (at) => {
    expect(at.opened.backUp, "backUp is missing, and no deviation says why").toBeDefined();
    await at.add(...works("a", 2, { attemptsMax: 9 }));
    await at.release(await at.claimOne({ limit: 1 }));
    const backup = await at.opened.backUp!();
    const forgotten: number[] = [];
    for (let round = 0; round < 3; round++) {
      const lease = await at.claimOne({ limit: 1 });
      forgotten.push(lease.token);
      await at.release(lease);
    }
    const late = await at.claimOne({ limit: 1 });
    await at.time.advance(10);
    const restored = at.front(await backup.restore());
    const { leases } = await restored.claim({ worker: "w1", kinds: ["work"], limit: 2 });
    expect(leases).toHaveLength(2);
    for (const lease of leases) expect(lease.token).toBeGreaterThan(Math.max(...forgotten));
    expect(await restored.finish([{ ...late, outcome: { kind: "done" } }])).toEqual([
      { status: "lost" },
    ]);
  });

  clause("two openers never lease the same task", async (at) => {
    await at.add(...works("a", 40));
    const other = await at.another();
    const claims = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? at.queue : other).claim({
        worker: `w${index}`,
        kinds: ["work"],
        limit: 5,
      }),
    );
    const leased = (await Promise.all(claims)).flatMap(({ leases }) => keysOf(leases));
    expect(leased.sort()).toEqual(keysOf(await at.queue.browse()).sort());
  });

  clause("lesson 7: an opener does not lease what another has finished", async (at) => {
    const other = await at.another();
    await at.add(work("a"));
    expect((await other.browse())[0]).toMatchObject({ key: "a", state: "pending" });
    await at.finish(await at.claimOne());
    expect(await other.claim({ worker: "w2", kinds: ["work"] })).toMatchObject({ leases: [] });
    expect((await other.browse())[0]).toMatchObject({ state: "done" });
  });

  clause("lesson 8: the tasks of a dead worker are found by whoever claims next", async (at) => {
    await at.add(work("a"));
    await at.claimOne({ worker: "dead", leaseMs: 1_000 });
    const other = await at.another();
    await at.time.advance(999);
    expect((await other.claim({ worker: "w2", kinds: ["work"] })).leases).toEqual([]);
    await at.time.advance(1);
    expect((await other.claim({ worker: "w2", kinds: ["work"] })).leases).toMatchObject([
      { key: "a", used: 2, isSuspect: true },
    ]);
  });

  clause("lesson 12: a task whose gate is closed is not leased, nor charged", async (at) => {
    await at.add(work("a", { gate: "g" }));
    await at.queue.block("g", 5_000);
    expect(await at.claim()).toEqual([]);
    expect(await at.find("a")).toMatchObject({ state: "pending", used: 0, token: 0 });
    await at.time.advance(5_000);
    const lease = await at.claimOne({ leaseMs: 1_000 });
    expect(await at.find("a")).toMatchObject({ expiresAtMs: at.time.now().ms + 1_000, used: 1 });
    expect(lease.leaseMs).toBe(1_000);
  });

  clause("lesson 13: blocked work of any priority does not hide open work", async (at) => {
    const blocked = Array.from({ length: 200 }, (_, gate) => `g${gate}`);
    await at.add(
      ...blocked.flatMap((gate) => works(`${gate} `, 5, { gate, priority: 1_000 })),
      ...works("later", 50, { priority: 1_000, delayMs: 60_000 }),
      ...works("paused", 50, { priority: 1_000, job: "paused" }),
      work("open", { priority: 0 }),
    );
    await at.queue.pause("paused");
    await Promise.all(blocked.map((gate) => at.queue.block(gate, 60_000)));
    expect(keysOf(await at.claim())).toEqual(["open"]);
  });

  clause("lesson 20: one claim serves many jobs", async (at) => {
    await at.add(...Array.from({ length: 60 }, (_, job) => work("a", { job: `j${job}` })));
    const leases = await at.claim({ limit: 60 });
    expect(new Set(leases.map((lease) => lease.job)).size).toBe(60);
  });

  clause("a claim fills its slots from many lanes", async (at) => {
    for (const kind of ["work", "other"]) {
      for (const job of ["j", "k"]) await at.add(...works(`${kind}${job}`, 3, { kind, job }));
    }
    expect(await at.claim({ kinds: ["work", "other"], limit: 11 })).toHaveLength(11);
    expect(await at.claim({ kinds: ["work", "other"], limit: 11 })).toHaveLength(1);
  });
}
