import { expect } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import type { LeasedTask } from "../../queue.ts";
import { keysOf, work, works, type QueueClause, type QueueFixture } from "../suite-fixture.ts";

export function gateClauses(clause: QueueClause): void {
  clause("a gate without settings lets one worker have one run", async (at) => {
    await at.add(...works("a", 4, { gate: "g" }));
    const run = await at.claim({ worker: "w1", limit: 1 });
    expect(keysOf(run)).toEqual(["a0", "a1", "a2", "a3"]);
    for (const lease of run) expect(lease.pace).toEqual({ delayMs: 0, limit: 1, isRun: true });
    expect(await at.queue.gate("g")).toMatchObject({ running: 4, runSlots: 1, limit: 1 });
  });

  clause("nobody gets a gate that is owned, whatever kind or job they ask for", async (at) => {
    await at.add(...works("a", 2, { gate: "g" }));
    const run = await at.claim({ worker: "w1" });
    await at.add(
      ...works("b", 2, { gate: "g", priority: 1_000 }),
      work("c", { gate: "g", job: "j", priority: 1_000 }),
      work("d", { gate: "g", kind: "other", priority: 1_000 }),
      work("free"),
    );
    const other = await at.another();
    const asked = { kinds: ["work", "other"], limit: 10 };
    expect(keysOf((await other.claim({ worker: "w2", ...asked })).leases)).toEqual(["free"]);
    expect(keysOf(await at.claim({ worker: "w1", ...asked }))).toEqual([]);
    await at.finish(run[0]!);
    expect((await other.claim({ worker: "w2", ...asked })).leases).toEqual([]);
    await at.finish(run[1]!);
    expect((await other.claim({ worker: "w2", ...asked })).leases).not.toEqual([]);
  });

  clause("a run is tasks of one kind, job and gate, best first", async (at) => {
    await at.add(
      work("a", { gate: "g", priority: 300 }),
      work("b", { gate: "g", priority: 700 }),
      work("c", { gate: "g", job: "j", priority: 600 }),
      work("d", { gate: "g", kind: "other", priority: 600 }),
      work("e", { gate: "g", priority: 500 }),
    );
    const kinds = ["work", "other"];
    const runs: string[][] = [];
    for (let run = 0; run < 3; run++) {
      const leases = await at.claim({ kinds });
      runs.push(keysOf(leases));
      for (const lease of leases) await at.finish(lease);
    }
    expect(runs[0]).toEqual(["b", "e", "a"]);
    expect(runs.slice(1).flat().sort()).toEqual(["c", "d"]);
  });

  clause("a run holds no more than the burst that was asked for", async (at) => {
    await at.add(...works("a", 9, { gate: "g" }));
    expect(await at.claim({ burst: 4 })).toHaveLength(4);
  });

  clause("a run is short enough to start well inside its lease", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.queue.setGate("slow", { delayMs: 60_000 });
    await at.add(...works("a", 20, { gate: "g" }), ...works("b", 20, { gate: "slow" }));
    const leases = await at.claim({ leaseMs: 10_000, burst: 50 });
    expect(leases.filter(({ gate }) => gate === "g")).toHaveLength(5);
    expect(leases.filter(({ gate }) => gate === "slow")).toHaveLength(1);
  });

  clause("a gate opens one delay after the last start", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(...works("a", 2, { gate: "g" }));
    const lease = await at.claimOne({ burst: 1 });
    await at.time.advance(300);
    await at.finish(lease, undefined, { sinceStartMs: 300 });
    expect(await at.queue.gate("g")).toMatchObject({ opensAtMs: at.time.now().ms + 700 });
    await expectOpensAfter(at, 700);
  });

  clause("a finish that reports no start counts the delay from now", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(...works("a", 2, { gate: "g" }));
    await at.finish(await at.claimOne({ burst: 1 }));
    await expectOpensAfter(at, 1_000);
  });

  clause("an old start leaves the gate open", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(...works("a", 2, { gate: "g" }));
    const lease = await at.claimOne({ burst: 1 });
    await at.time.advance(4_000);
    await at.finish(lease, undefined, { sinceStartMs: 4_000 });
    expect(await at.claim()).toHaveLength(1);
  });

  clause("the latest start of a run counts, in whatever order its tasks end", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000, limit: 2 });
    await at.add(...works("a", 3, { gate: "g" }));
    const [first, second] = await at.claim({ burst: 2 });
    await at.finish(second!, undefined, { sinceStartMs: 100 });
    await at.finish(first!, undefined, { sinceStartMs: 900 });
    await expectOpensAfter(at, 900);
  });

  clause("a run that was released unstarted leaves its gate as it was", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(...works("a", 3, { gate: "g" }));
    for (const lease of await at.claim()) await at.release(lease);
    expect(await at.queue.gate("g")).toMatchObject({ opensAtMs: 0, running: 0, runSlots: 0 });
    expect(await at.claim({ worker: "w2" })).toHaveLength(3);
  });

  clause("a run that started one and released the rest keeps its delay", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(...works("a", 3, { gate: "g" }));
    const [first, ...rest] = await at.claim();
    await at.time.advance(200);
    await at.finish(first!, undefined, { sinceStartMs: 200 });
    for (const lease of rest) await at.release(lease, 200);
    await expectOpensAfter(at, 800);
  });

  clause("a swept run opens its gate one delay after its lease ended", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(...works("a", 2, { gate: "g" }));
    await at.claim({ worker: "dead", leaseMs: 5_000 });
    await at.time.advance(5_400);
    expect(await at.queue.sweep()).toMatchObject({ requeued: 2 });
    expect(await at.queue.gate("g")).toMatchObject({ running: 0, runSlots: 0 });
    await expectOpensAfter(at, 600);
  });

  clause("a run that is swept in part stays owned", async (at) => {
    await at.add(...works("a", 2, { gate: "g" }));
    const [alive] = await at.claim({ worker: "w1", leaseMs: 1_000 });
    await at.extend(alive!, 60_000);
    await at.time.advance(1_000);
    expect(await at.queue.sweep()).toMatchObject({ requeued: 1 });
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.finish(alive!);
    expect(keysOf(await at.claim({ worker: "w2" }))).toEqual(["a1"]);
  });

  clause(
    "a gate with a delay and a higher limit is owned by runs that overlap in one",
    async (at) => {
      await at.queue.setGate("g", { delayMs: 100, limit: 3 });
      await at.add(...works("a", 10, { gate: "g" }));
      const run = await at.claim({ burst: 5, limit: 4 });
      expect(run).toHaveLength(5);
      expect(run[0]!.pace).toEqual({ delayMs: 100, limit: 3, isRun: true });
      expect(await at.claim({ worker: "w2" })).toEqual([]);
      const slots: number[] = [(await at.queue.job("default"))!.slots];
      for (const lease of run) {
        await at.finish(lease, undefined, { sinceStartMs: 100 });
        slots.push((await at.queue.job("default"))!.slots);
      }
      expect(slots).toEqual([3, 3, 3, 2, 1, 0]);
    },
  );

  clause("a run takes as many slots of its worker as it may have at work", async (at) => {
    await at.queue.setGate("three", { delayMs: 1, limit: 3 });
    await at.add(
      ...works("g", 5, { gate: "three", priority: 900 }),
      ...works("h", 5, { gate: "one", priority: 800 }),
      ...works("free", 5, { priority: 100 }),
    );
    const leases = await at.claim({ limit: 6 });
    const count = (prefix: string) => leases.filter(({ key }) => key.startsWith(prefix)).length;
    expect([count("g"), count("h"), count("free")]).toEqual([5, 5, 2]);
  });

  clause("a run of fewer tasks than the limit takes one slot for each", async (at) => {
    await at.queue.setGate("g", { delayMs: 1, limit: 5 });
    await at.add(...works("a", 2, { gate: "g" }));
    const [first] = await at.claim({ limit: 10 });
    expect(first!.pace).toMatchObject({ limit: 2 });
    expect(await at.queue.job("default")).toMatchObject({ slots: 2, running: 2 });
  });

  clause("a run never has more at work than its worker had slots", async (at) => {
    await at.queue.setGate("g", { delayMs: 1, limit: 5 });
    await at.add(...works("a", 9, { gate: "g" }));
    const [first] = await at.claim({ limit: 2 });
    expect(first!.pace).toEqual({ delayMs: 1, limit: 2, isRun: true });
    expect(await at.queue.job("default")).toMatchObject({ slots: 2, running: 9 });
  });

  clause("without a delay a higher limit is a semaphore that workers share", async (at) => {
    await at.queue.setGate("g", { limit: 3 });
    await at.add(...works("a", 6, { gate: "g" }));
    const first = await at.claim({ worker: "w1", limit: 2 });
    const second = await at.claim({ worker: "w2", limit: 5 });
    expect([first.length, second.length]).toEqual([2, 1]);
    expect(second[0]!.pace).toEqual({ delayMs: 0, limit: 3, isRun: false });
    expect(await at.claim({ worker: "w3" })).toEqual([]);
    await at.finish(first[0]!);
    expect(await at.claim({ worker: "w3" })).toHaveLength(1);
    await at.release(first[1]!);
    expect(await at.claim({ worker: "w3" })).toHaveLength(1);
    expect(await at.queue.gate("g")).toMatchObject({ running: 3, runSlots: 0 });
  });

  clause("a semaphore counts all kinds and jobs of its gate", async (at) => {
    await at.queue.setGate("g", { limit: 2 });
    await at.add(
      work("a", { gate: "g" }),
      work("b", { gate: "g", kind: "other" }),
      work("c", { gate: "g", job: "j" }),
    );
    expect(await at.claim({ kinds: ["work", "other"] })).toHaveLength(2);
    expect(await at.claim({ worker: "w2", kinds: ["work", "other"] })).toEqual([]);
  });

  clause("lesson 21: what a dead worker held of a semaphore comes back, once", async (at) => {
    await at.queue.setGate("g", { limit: 2 });
    await at.add(...works("a", 4, { gate: "g", attemptsMax: 9 }));
    await at.claim({ worker: "dead", limit: 1, leaseMs: 1_000 });
    await at.claim({ worker: "w1", limit: 1 });
    await at.time.advance(1_000);
    expect(await at.claim({ worker: "w2" })).toHaveLength(1);
    expect(await at.claim({ worker: "w3" })).toEqual([]);
    expect(await at.queue.gate("g")).toMatchObject({ running: 2 });
  });

  clause("with limit 1 and a delay starts never come closer, whoever dies", async (at) => {
    const starts = await crawl(at, { seed: 7, gates: 3, tasks: 25, delayMs: 400 });
    expect(starts.size).toBe(3);
    for (const [gate, times] of starts) {
      const sorted = [...times].sort((a, b) => a - b);
      const gaps = sorted.slice(1).map((time, index) => time - sorted[index]!);
      expect(Math.min(...gaps), `gap at ${gate}`).toBeGreaterThanOrEqual(400);
    }
    expect((await at.queue.stats()).states).toMatchObject({ pending: 0, running: 0 });
  });
}

async function expectOpensAfter(at: QueueFixture, ms: number): Promise<void> {
  await at.time.advance(ms - 1);
  expect(await at.claim({ worker: "next" })).toEqual([]);
  await at.time.advance(1);
  expect(await at.claim({ worker: "next" })).not.toEqual([]);
}

interface Crawl {
  readonly seed: number;
  readonly gates: number;
  readonly tasks: number;
  readonly delayMs: number;
}

interface Run {
  readonly left: LeasedTask[];
  startedMs: number | undefined;
}

/**
 * Workers of two openers pace their runs as required, step by step in one virtual time. Some die
 * silently, some stop half-way. Returns the starts at every gate.
 */
async function crawl(at: QueueFixture, { seed, gates, tasks, delayMs }: Crawl) {
  const random = createSeededRandom(seed);
  const queues = [at.queue, await at.another()];
  const starts = new Map<string, number[]>();
  const runs = new Map<string, Run>();
  let born = 0;
  const names = Array.from({ length: gates }, (_, index) => `g${index}`);
  for (const gate of names) {
    await at.queue.setGate(gate, { delayMs });
    await at.add(...works(`${gate} `, tasks, { gate, attemptsMax: 100 }));
  }
  for (let step = 0; step < 3_000; step++) {
    await at.time.advance(50);
    const nowMs = at.time.now().ms;
    const queue = queues[step % 2]!;
    if (runs.size < 4) {
      const worker = `w${born++}`;
      const { leases } = await queue.claim({ worker, kinds: ["work"], burst: 4, leaseMs: 4_000 });
      if (leases.length > 0) runs.set(worker, { left: [...leases], startedMs: undefined });
    }
    for (const [worker, run] of runs) {
      const sinceMs = run.startedMs === undefined ? Infinity : nowMs - run.startedMs;
      if (sinceMs < delayMs) continue;
      const lease = run.left.shift()!;
      starts.set(lease.gate, [...(starts.get(lease.gate) ?? []), nowMs]);
      run.startedMs = nowMs;
      const chance = random.next();
      if (chance < 0.1) runs.delete(worker); // dies: does nothing more
      else await queue.finish([{ ...lease, outcome: { kind: "done" }, sinceStartMs: 0 }]);
      if (chance > 0.9 && run.left.length > 0) {
        await queue.release(run.left.splice(0).map((one) => ({ ...one, sinceStartMs: 0 })));
      }
      if (run.left.length === 0) runs.delete(worker);
    }
    if (runs.size === 0 && (await queue.wakeInMs(["work"])) === undefined) break;
  }
  return starts;
}
