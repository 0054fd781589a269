import { expect } from "vitest";
import { keysOf, work, works, type QueueClause } from "../suite-fixture.ts";

export function gateChangeClauses(clause: QueueClause): void {
  clause("a block binds the next claim and ends by itself", async (at) => {
    await at.add(work("a", { gate: "g" }), work("b", { gate: "other" }));
    expect(await at.queue.block("g", 5_000)).toEqual({ delayMs: 0, limit: 1, blockedForMs: 5_000 });
    expect(keysOf(await at.claim())).toEqual(["b"]);
    await at.time.advance(4_999);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1);
    expect(keysOf(await at.claim())).toEqual(["a"]);
  });

  clause("a shorter block never shortens a longer one; zero lifts it", async (at) => {
    await at.add(work("a", { gate: "g" }));
    await at.queue.block("g", 60_000);
    expect(await at.queue.block("g", 1_000)).toMatchObject({ blockedForMs: 60_000 });
    await at.time.advance(1_000);
    expect(await at.claim()).toEqual([]);
    expect(await at.queue.block("g", 0)).toMatchObject({ blockedForMs: 0 });
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a block made through another opener binds at once", async (at) => {
    await at.add(work("a", { gate: "g" }));
    const other = await at.another();
    await other.block("g", 60_000);
    expect(await at.claim()).toEqual([]);
  });

  clause("a block also binds a semaphore", async (at) => {
    await at.queue.setGate("g", { limit: 5 });
    await at.add(...works("a", 3, { gate: "g" }));
    const [first] = await at.claim({ limit: 1 });
    await at.queue.block("g", 1_000);
    expect(await at.claim()).toEqual([]);
    await at.finish(first!);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1_000);
    expect(await at.claim()).toHaveLength(2);
  });

  clause("the owner of a run learns of a block with its next answer", async (at) => {
    await at.add(...works("a", 3, { gate: "g" }), work("free"));
    const leases = await at.claim();
    const [first, second, third] = leases.filter(({ gate }) => gate === "g");
    const free = leases.find(({ gate }) => gate === "")!;
    expect(await at.queue.extend([first!], 60_000)).toEqual([
      { status: "held", gate: { delayMs: 0, limit: 1, blockedForMs: 0 } },
    ]);
    await at.queue.block("g", 5_000);
    await at.time.advance(1_000);
    const gate = { delayMs: 0, limit: 1, blockedForMs: 4_000 };
    const view = { status: "held", gate };
    expect(await at.queue.extend([first!], 60_000)).toEqual([view]);
    const done = { status: "done", gate };
    expect(await at.queue.finish([{ ...first!, outcome: { kind: "done" } }])).toEqual([done]);
    expect(await at.queue.release([second!, third!])).toEqual([view, view]);
    expect(await at.queue.extend([free], 60_000)).toEqual([{ status: "held" }]);
  });

  clause("after a 429 the owner blocks its gate and gives the rest back", async (at) => {
    await at.queue.setGate("g", { delayMs: 100 });
    await at.add(...works("a", 3, { gate: "g" }));
    const [first, ...rest] = await at.claim();
    await Promise.all([
      at.queue.block("g", 30_000),
      at.finish(first!, { kind: "retry", delayMs: 0, reason: "429" }, { sinceStartMs: 40 }),
      ...rest.map((lease) => at.release(lease, 40)),
    ]);
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.time.advance(30_000);
    expect(await at.claim({ worker: "w2" })).toHaveLength(3);
  });

  clause("settings of a gate wait for its first task", async (at) => {
    expect(await at.queue.setGate("g", { delayMs: 500, limit: 2 })).toEqual({
      delayMs: 500,
      limit: 2,
      blockedForMs: 0,
    });
    await at.add(work("a", { gate: "g" }));
    expect((await at.claimOne()).pace).toMatchObject({ delayMs: 500, isRun: true });
  });

  clause("setGate changes only what it names", async (at) => {
    await at.queue.setGate("g", { delayMs: 500, limit: 4 });
    await at.queue.setGate("g", { limit: 2 });
    expect(await at.queue.gate("g")).toMatchObject({ delayMs: 500, limit: 2 });
    await at.queue.setGate("g", { delayMs: 0 });
    expect(await at.queue.gate("g")).toMatchObject({ delayMs: 0, limit: 2 });
  });

  clause("lesson 21: setGate binds a gate that is in use", async (at) => {
    await at.queue.setGate("g", { limit: 3 });
    await at.add(...works("a", 6, { gate: "g" }));
    const running = await at.claim();
    expect(running).toHaveLength(3);
    await at.queue.setGate("g", { limit: 5 });
    const more = await at.claim({ worker: "w2" });
    expect(more).toHaveLength(2);
    await at.queue.setGate("g", { limit: 2 });
    await at.finish(running[0]!);
    await at.finish(running[1]!);
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.finish(running[2]!);
    await at.finish(more[0]!);
    expect(await at.claim({ worker: "w2" })).toHaveLength(1);
  });

  clause("the owner of a run learns of new settings with its next answer", async (at) => {
    await at.queue.setGate("g", { delayMs: 100 });
    await at.add(...works("a", 2, { gate: "g" }));
    const [first, second] = await at.claim();
    await at.queue.setGate("g", { delayMs: 2_000, limit: 3 });
    const gate = { delayMs: 2_000, limit: 3, blockedForMs: 0 };
    const view = { status: "held", gate };
    expect(await at.queue.extend([first!, second!], 60_000)).toEqual([view, view]);
    const done = { status: "done", gate };
    expect(await at.queue.finish([{ ...first!, outcome: { kind: "done" } }])).toEqual([done]);
  });

  clause("a run under way keeps its gate, also when that becomes a semaphore", async (at) => {
    await at.add(...works("a", 4, { gate: "g" }));
    const run = await at.claim({ burst: 2 });
    await at.queue.setGate("g", { limit: 10 });
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.finish(run[0]!);
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.finish(run[1]!);
    const shared = await at.claim({ worker: "w2", limit: 1 });
    expect(shared[0]!.pace).toMatchObject({ isRun: false, limit: 10 });
    expect(await at.claim({ worker: "w3" })).toHaveLength(1);
  });

  clause("a semaphore that becomes a run waits for all that it has handed out", async (at) => {
    await at.queue.setGate("g", { limit: 3 });
    await at.add(...works("a", 5, { gate: "g" }));
    const running = await at.claim({ limit: 3 });
    await at.queue.setGate("g", { limit: 1 });
    for (const lease of running) {
      expect(await at.claim({ worker: "w2" })).toEqual([]);
      await at.finish(lease);
    }
    const run = await at.claim({ worker: "w2" });
    expect(run).toHaveLength(2);
    expect(run[0]!.pace).toMatchObject({ isRun: true });
  });

  clause("a run ends by the delay that holds when it ends", async (at) => {
    await at.queue.setGate("g", { delayMs: 100 });
    await at.add(...works("a", 2, { gate: "g" }));
    const lease = await at.claimOne({ burst: 1 });
    await at.queue.setGate("g", { delayMs: 3_000 });
    await at.finish(lease, undefined, { sinceStartMs: 0 });
    await at.time.advance(2_999);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a longer delay counts from the last start, also at an idle gate", async (at) => {
    await at.queue.setGate("g", { delayMs: 100 });
    await at.add(...works("a", 2, { gate: "g" }));
    await at.finish(await at.claimOne({ burst: 1 }), undefined, { sinceStartMs: 0 });
    await at.time.advance(1_000);
    await at.queue.setGate("g", { delayMs: 3_000 });
    await at.time.advance(1_999);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a shorter delay opens a waiting gate sooner", async (at) => {
    await at.queue.setGate("g", { delayMs: 3_600_000 });
    await at.add(...works("a", 2, { gate: "g" }));
    await at.finish(await at.claimOne({ burst: 1 }), undefined, { sinceStartMs: 0 });
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.time.advance(999);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(1);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a delay set on a gate that never started anything opens at once", async (at) => {
    await at.add(work("a", { gate: "g" }));
    await at.queue.setGate("g", { delayMs: 5_000 });
    expect(await at.claim()).toHaveLength(1);
  });
}
