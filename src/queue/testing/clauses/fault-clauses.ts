import { expect } from "vitest";
import { AppError } from "../../../base/app-error.ts";
import type { Operation } from "../../operation.ts";
import { keysOf, work, works, type QueueClause } from "../suite-fixture.ts";

export function faultClauses(clause: QueueClause): void {
  clause("the operations of a commit are applied in order and see each other", async (at) => {
    await at.add(work("a", { job: "j" }));
    const lease = await at.claimOne();
    const operations: readonly Operation[] = [
      { op: "finish", finishes: [{ ...lease, outcome: { kind: "done", result: null } }] },
      { op: "extend", leases: [lease], leaseMs: 1_000 },
      { op: "pause", job: "j" },
      { op: "cancel", job: "j" },
      { op: "seal", job: "j" },
    ];
    expect(await at.store.commit(operations)).toEqual([
      [{ status: "done" }],
      [{ status: "lost" }],
      "ok",
      "ok",
      "closed",
    ]);
  });

  clause("an empty commit is answered", async ({ store }) => {
    expect(await store.commit([])).toEqual([]);
  });

  clause("lesson 28: a refused operation leaves the others of its commit untouched", async (at) => {
    await at.queue.openJob("site", { gate: "example.org" });
    const [before, refused, after] = await Promise.allSettled([
      at.queue.add([work("before")]),
      at.queue.add([work("with"), work("refused", { job: "site", gate: "other.org" })]),
      at.queue.add([work("after")]),
    ]);
    expect(before).toMatchObject({ status: "fulfilled", value: [{ status: "added" }] });
    expect(after).toMatchObject({ status: "fulfilled", value: [{ status: "added" }] });
    expect(refused).toMatchObject({ status: "rejected", reason: { code: "job_bound_to_gate" } });
    expect(keysOf(await at.queue.browse())).toEqual(["before", "after"]);
    expect(await at.claim()).toHaveLength(2);
  });

  clause(
    "a finish whose adds are refused wrote nothing and may be repeated without them",
    async (at) => {
      await at.queue.openJob("site", { gate: "example.org" });
      await at.add(...works("a", 2));
      const [first, second] = await at.claim();
      const bad = { add: [work("b"), work("c", { job: "site", gate: "other.org" })] };
      await expect(
        at.queue.finish([
          { ...first!, outcome: { kind: "done" } },
          { ...second!, outcome: { kind: "done" }, ...bad },
        ]),
      ).rejects.toMatchObject({ kind: "invalid" });
      expect(await at.queue.browse({ states: ["running"] })).toHaveLength(2);
      expect(await at.finish(first!)).toBe("done");
      expect(await at.finish(second!)).toBe("done");
      expect(await at.queue.browse()).toHaveLength(2);
    },
  );

  clause("what was answered is there for every opener", async (at) => {
    await at.queue.setGate("g", { delayMs: 500 });
    await at.add(...works("a", 3, { gate: "g", job: "j" }), work("b"));
    const leases = await at.claim();
    await at.finish(leases[0]!, { kind: "fail", reason: "f" });
    const other = await at.another();
    expect(await other.browse()).toEqual(await at.queue.browse());
    expect(await other.stats()).toEqual(await at.queue.stats());
    expect(await other.gate("g")).toEqual(await at.queue.gate("g"));
    expect(await other.job("j")).toEqual(await at.queue.job("j"));
    const finish = { ...leases[1]!, outcome: { kind: "done" } as const };
    expect((await other.finish([finish]))[0]).toMatchObject({ status: "done" });
    expect(await at.finish(leases[1]!)).toBe("done");
  });

  clause("closing one opener leaves the others at work", async (at) => {
    const other = await at.opened.openAnother();
    await other.commit([{ op: "openJob", job: "j", concurrency: null, budget: null, gate: "" }]);
    await other[Symbol.asyncDispose]();
    await at.add(work("a", { job: "j" }));
    expect(await at.claim()).toHaveLength(1);
  });

  clause("many calls at once are all answered, each with its own answer", async (at) => {
    const other = await at.another();
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        (index % 2 === 0 ? at.queue : other).add([
          work(`a${index % 100}`, { priority: index % 100 }),
        ]),
      ),
    );
    expect(answers.flat().filter(({ status }) => status === "added")).toHaveLength(100);
    expect(answers.flat().filter(({ status }) => status === "duplicate")).toHaveLength(200);
  });

  clause(
    "lesson 6: a store that cannot reach its storage says so and invents nothing",
    async (at) => {
      expect(at.opened.cutOff, "cutOff is missing, and no deviation says why").toBeDefined();
      await at.add(...works("a", 2));
      const lease = await at.claimOne({ limit: 1 });
      const before = await at.queue.browse();
      const cut = await at.opened.cutOff!();
      const calls = [
        at.queue.add([work("b")]),
        at.queue.claim({ worker: "w1", kinds: ["work"] }),
        at.queue.finish([{ ...lease, outcome: { kind: "done" } }]),
        at.queue.sweep(),
      ];
      for (const call of await Promise.allSettled(calls)) {
        expect(call.status).toBe("rejected");
        const error: unknown = call.status === "rejected" ? call.reason : undefined;
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ kind: "unavailable" });
      }
      await cut.reconnect();
      expect(await at.queue.browse()).toEqual(before);
      expect(await at.finish(lease)).toBe("done");
      expect(await at.claim()).toHaveLength(1);
    },
  );
}
