import { expect } from "vitest";
import { type QueueClause, keysOf, statusesOf, work, works } from "../suite-fixture.ts";

export function jobClauses(clause: QueueClause): void {
  clause("a job never has more at work than its cap", async (at) => {
    await at.queue.openJob("j", { concurrency: 3 });
    await at.add(...works("a", 10, { job: "j" }), ...works("free", 2));
    const first = await at.claim({ limit: 100 });
    expect(keysOf(first).sort()).toEqual(["a0", "a1", "a2", "free0", "free1"]);
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.finish(first.find(({ job }) => job === "j")!);
    expect(await at.claim({ worker: "w2" })).toHaveLength(1);
  });

  clause("lesson 14: openers that claim at once do not exceed the cap together", async (at) => {
    await at.queue.openJob("j", { concurrency: 3 });
    await at.add(...works("a", 20, { job: "j" }));
    const other = await at.another();
    const claims = Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? at.queue : other).claim({
        worker: `w${index}`,
        kinds: ["work"],
        limit: 2,
      }),
    );
    const leased = (await Promise.all(claims)).reduce((sum, { leases }) => sum + leases.length, 0);
    expect(leased).toBe(3);
    expect(await at.queue.job("j")).toMatchObject({ slots: 3, running: 3 });
  });

  clause("a finish adds the bucket requests of its handler to its job, once", async (at) => {
    await at.add(...works("a", 6, { job: "j" }), work("b", { job: "other" }));
    const leases = await at.claim({ limit: 10 });
    const own = leases.filter(({ job }) => job === "j");
    const finishes = own.map(({ id, token }, index) => ({
      id,
      token,
      outcome:
        index === 5
          ? ({ kind: "retry", delayMs: 0, reason: "503" } as const)
          : ({ kind: "done" } as const),
      ...(index !== 0 && { requests: index }),
    }));
    await at.queue.finish(finishes);
    expect(await at.queue.job("j")).toMatchObject({ done: 5, requests: 15 });
    await at.queue.finish(finishes); // its answer was lost
    expect(await at.queue.job("j")).toMatchObject({ done: 5, requests: 15 });
    const [again] = await at.claim({ worker: "w2" });
    const lost = { id: again!.id, token: own[5]!.token, outcome: { kind: "done" } as const };
    expect(await at.queue.finish([{ ...lost, requests: 100 }])).toEqual([{ status: "lost" }]);
    await at.queue.finish([{ ...lost, token: again!.token, requests: 10 }]);
    expect(await at.queue.job("j")).toMatchObject({ done: 6, requests: 25 });
    expect(await at.queue.job("other")).toMatchObject({ requests: 0 });
  });

  clause("the cap covers all kinds and gates of a job", async (at) => {
    await at.queue.openJob("j", { concurrency: 2 });
    await at.add(
      work("a", { job: "j" }),
      work("b", { job: "j", kind: "other" }),
      work("c", { job: "j", gate: "g" }),
    );
    expect(await at.claim({ kinds: ["work", "other"] })).toHaveLength(2);
    expect(await at.claim({ worker: "w2", kinds: ["work", "other"] })).toEqual([]);
  });

  clause("a run counts against the cap what it may have at work", async (at) => {
    await at.queue.openJob("j", { concurrency: 2 });
    await at.queue.setGate("g", { delayMs: 1, limit: 5 });
    await at.add(
      ...works("a", 9, { job: "j", gate: "g", priority: 900 }),
      ...works("b", 9, { job: "j", gate: "h" }),
    );
    const run = await at.claim();
    expect(run).toHaveLength(9);
    expect(run[0]!.pace).toEqual({ delayMs: 1, limit: 2, isRun: true });
    expect(await at.queue.job("j")).toMatchObject({ slots: 2, running: 9 });
    for (const lease of run.slice(0, 7)) await at.finish(lease);
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.finish(run[7]!);
    expect(keysOf(await at.claim({ worker: "w2", burst: 2 }))).toEqual(["b0", "b1"]);
  });

  clause("lesson 16: a slot comes back when its worker died", async (at) => {
    await at.queue.openJob("j", { concurrency: 1 });
    await at.add(...works("a", 2, { job: "j", attemptsMax: 9 }));
    for (let death = 0; death < 3; death++) {
      expect(await at.claim({ worker: `w${death}`, leaseMs: 1_000 })).toHaveLength(1);
      await at.time.advance(1_000);
    }
    expect(await at.queue.job("j")).toMatchObject({ slots: 1 });
    await at.queue.sweep();
    expect(await at.queue.job("j")).toMatchObject({ slots: 0, running: 0, pending: 2 });
  });

  clause("a cap that is lowered binds what comes later", async (at) => {
    await at.queue.openJob("j", { concurrency: 3 });
    await at.add(...works("a", 6, { job: "j" }));
    const running = await at.claim();
    expect(await at.queue.openJob("j", { concurrency: 1 })).toBe("ok");
    for (const lease of running.slice(0, 2)) {
      expect(await at.finish(lease)).toBe("done");
      expect(await at.claim({ worker: "w2" })).toEqual([]);
    }
    await at.finish(running[2]!);
    expect(await at.claim({ worker: "w2" })).toHaveLength(1);
  });

  clause("a paused job starts nothing, and what runs may end", async (at) => {
    await at.add(...works("a", 3, { job: "j" }), work("other"));
    const [first, second] = await at.claim({ limit: 2, kinds: ["work"] });
    await at.queue.release([first!, second!]);
    const [running] = await at.claim({ limit: 1 });
    expect(running!.job).toBe("j");
    expect(await at.queue.pause("j")).toBe("ok");
    expect(keysOf(await at.claim({ worker: "w2" }))).toEqual(["other"]);
    expect(statusesOf(await at.queue.add([work("b", { job: "j" })]))).toEqual(["added"]);
    expect(await at.extend(running!)).toBe("held");
    expect(await at.finish(running!)).toBe("done");
    expect(await at.claim({ worker: "w3" })).toEqual([]);
    expect(await at.queue.resume("j")).toBe("ok");
    expect(await at.claim({ worker: "w3" })).toHaveLength(3);
  });

  clause("pausing and resuming may be repeated", async (at) => {
    await at.add(work("a", { job: "j" }));
    for (let round = 0; round < 2; round++) expect(await at.queue.pause("j")).toBe("ok");
    for (let round = 0; round < 2; round++) expect(await at.queue.resume("j")).toBe("ok");
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a job that does not exist is absent", async ({ queue }) => {
    for (const change of ["seal", "pause", "resume", "cancel"] as const) {
      expect(await queue[change]("nowhere")).toBe("absent");
    }
    expect(await queue.job("nowhere")).toBeUndefined();
    expect(await queue.jobs()).toEqual([]);
  });

  clause("a job's progress is one row, kept with every step", async (at) => {
    await at.queue.openJob("j", { budget: 5, concurrency: 4 });
    const openedAtMs = at.time.now().ms;
    await at.queue.add(works("a", 6, { job: "j", attemptsMax: 1 }));
    const [done, skipped, failed, running] = await at.claim();
    await at.finish(done!);
    await at.finish(skipped!, { kind: "skip", reason: "s" });
    await at.finish(failed!, { kind: "fail", reason: "f" });
    expect(await at.queue.job("j")).toMatchObject({
      name: "j",
      isPaused: false,
      isSealed: false,
      ended: null,
      concurrency: 4,
      budget: 5,
      gate: "",
      slots: 1,
      added: 5,
      overBudget: 1,
      pending: 1,
      running: 1,
      done: 1,
      skipped: 1,
      failed: 1,
      completions: 0,
      openedAtMs,
      endedAtMs: 0,
    });
    await at.release(running!);
    expect(await at.queue.job("j")).toMatchObject({ slots: 0, pending: 2, running: 0 });
  });

  clause("a job opens with its first task", async (at) => {
    await at.add(work("a", { job: "j" }), work("b"));
    expect((await at.queue.jobs()).map(({ name }) => name).sort()).toEqual(["default", "j"]);
  });

  clause("opening a job again changes its settings and keeps its progress", async (at) => {
    await at.queue.openJob("j", { concurrency: 1, budget: 1 });
    await at.queue.add(works("a", 2, { job: "j" }));
    expect(await at.queue.openJob("j", { budget: 3 })).toBe("ok");
    expect(statusesOf(await at.queue.add(works("a", 3, { job: "j" })))).toEqual([
      "duplicate",
      "added",
      "added",
    ]);
    expect(await at.queue.job("j")).toMatchObject({ concurrency: null, added: 3, overBudget: 1 });
  });

  clause("equal priorities rotate over jobs, claim by claim", async (at) => {
    for (const job of ["a", "b", "c"]) await at.add(...works(job, 20, { job }));
    const served: string[] = [];
    for (let round = 0; round < 9; round++) served.push((await at.claimOne({ limit: 1 })).job);
    for (const start of [0, 3, 6]) {
      expect(served.slice(start, start + 3).sort()).toEqual(["a", "b", "c"]);
    }
  });

  clause("equal priorities rotate over jobs inside one claim", async (at) => {
    for (const job of ["a", "b", "c"]) await at.add(...works(job, 20, { job }));
    const leases = await at.claim({ limit: 9 });
    const counts = ["a", "b", "c"].map((name) => leases.filter(({ job }) => job === name).length);
    expect(counts).toEqual([3, 3, 3]);
  });

  clause("a share that one job cannot use goes to the others", async (at) => {
    await at.queue.openJob("capped", { concurrency: 1 });
    await at.add(
      ...works("big", 20, { job: "big" }),
      ...works("small", 2, { job: "small" }),
      ...works("capped", 20, { job: "capped" }),
    );
    const leases = await at.claim({ limit: 12 });
    const counts = ["big", "small", "capped"].map(
      (name) => leases.filter(({ job }) => job === name).length,
    );
    expect(counts).toEqual([9, 2, 1]);
  });

  clause("a big job does not make a later one wait for all its tasks", async (at) => {
    await at.add(...works("big", 500, { job: "big" }));
    await at.claim({ limit: 5 });
    await at.add(work("late", { job: "late" }));
    expect(keysOf(await at.claim({ limit: 2 }))).toContain("late");
  });

  clause("runs of owned gates rotate over jobs too", async (at) => {
    for (const job of ["a", "b"]) {
      for (let gate = 0; gate < 4; gate++) {
        await at.add(...works(`${job}${gate} `, 3, { job, gate: `${job}${gate}` }));
      }
    }
    const served: string[] = [];
    for (let round = 0; round < 6; round++) {
      const [first] = await at.claim({ limit: 1, burst: 2, worker: `w${round}` });
      served.push(first!.job);
    }
    for (const start of [0, 2, 4]) {
      expect(served.slice(start, start + 2).sort()).toEqual(["a", "b"]);
    }
  });

  clause("a gate with a long backlog does not starve another of its job", async (at) => {
    await at.queue.setGate("busy", { delayMs: 10 });
    await at.add(...works("busy", 300, { gate: "busy" }), ...works("quiet", 2, { gate: "quiet" }));
    const served: string[] = [];
    for (let round = 0; round < 2; round++) {
      const leases = await at.claim({ limit: 1, burst: 5 });
      served.push(leases[0]!.gate);
      for (const lease of leases) await at.finish(lease);
    }
    expect(served).toEqual(["busy", "quiet"]);
  });
}
