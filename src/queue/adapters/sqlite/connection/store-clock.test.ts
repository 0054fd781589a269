// inputs: src/queue/** src/base/**
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { sleep, systemClock, type Clock } from "../../../../base/clock.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";
import { queueOf } from "../testing/filled-queue.ts";
import { startOtherProcess } from "../testing/other-process.ts";
import { createTempFolder } from "../testing/temp-folder.ts";

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

/** The machine's clock, with the wall clock wrong by `offsetMs`. */
const clockAt = (offsetMs: number): Clock => ({
  ...systemClock,
  nowMs: () => systemClock.nowMs() + offsetMs,
});

/** What the file looks like to the first opener after the machine was started again. */
function reboot(file: string): void {
  const db = new Database(file);
  db.prepare("update meta set value = 'an earlier boot' where name = 'boot'").run();
  db.close();
}

const open = (file: string, wallOffsetMs = 0) => {
  const store = openSqliteQueueStore({ file, clock: clockAt(wallOffsetMs) });
  return {
    store,
    queue: queueOf(store),
    nowMs: async () => (await store.counts()).now.ms,
  };
};

describe("the store's clock", () => {
  test("is one clock for all processes, whatever their wall clocks say", async () => {
    using folder = createTempFolder();
    await using first = await startOtherProcess();
    await using second = await startOtherProcess();
    await first.ask({ ask: "open", file: folder.file });
    await second.ask({ ask: "open", file: folder.file, wallOffsetMs: hourMs });
    const here = open(folder.file, -hourMs);
    const ask = async (other: typeof first) => {
      const { min, max } = (await other.ask({ ask: "clock" })) as { min: number; max: number };
      return { min, max };
    };
    const a = await ask(first);
    const b = await ask(second);
    // Both intervals hold the same distance to the machine's clock.
    expect(Math.max(a.min, b.min)).toBeLessThanOrEqual(Math.min(a.max, b.max));
    // The processes run at the same time, so one whose wall clock is back sees no time go back.
    const before = await here.nowMs();
    const { min, max } = await ask(second);
    expect([min, max].map((ms) => Math.abs(ms - a.min) < hourMs / 2)).toEqual([true, true]);
    expect(await here.nowMs()).toBeGreaterThanOrEqual(before);
    await here.queue[Symbol.asyncDispose]();
  });

  test("drops fractions: a wait begins with the next whole millisecond", async () => {
    using folder = createTempFolder();
    await using queue = open(folder.file).queue;
    expect(await queue.block("g", 1_000)).toMatchObject({ blockedForMs: 1_001 });
  });

  test("continues where it was when the file is opened again", async () => {
    using folder = createTempFolder();
    const first = open(folder.file);
    const before = await first.nowMs();
    await first.queue[Symbol.asyncDispose]();
    const second = open(folder.file, yearMs);
    const passedMs = (await second.nowMs()) - before;
    expect(passedMs).toBeGreaterThanOrEqual(0);
    expect(passedMs).toBeLessThan(60_000);
    await second.queue[Symbol.asyncDispose]();
  });

  test.each([
    ["forward", yearMs],
    ["back", -yearMs],
  ])("a wall clock that steps %s moves no lease and no gate", async (_, stepMs) => {
    using folder = createTempFolder();
    let offsetMs = 0;
    const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + offsetMs };
    const store = openSqliteQueueStore({ file: folder.file, clock });
    await using queue = queueOf(store);
    await queue.setGate("g", { delayMs: hourMs });
    await queue.add([
      { kind: "work", key: "a" },
      { kind: "work", key: "b", gate: "g" },
      { kind: "work", key: "c", gate: "g" },
    ]);
    const claim = { kinds: ["work"], limit: 10, burst: 1 };
    const { leases } = await queue.claim({ ...claim, worker: "w", leaseMs: hourMs });
    const paced = leases.find(({ gate }) => gate === "g")!;
    await queue.finish([{ ...paced, outcome: { kind: "done" }, sinceStartMs: 0 }]);
    const before = await queue.gate("g");

    offsetMs = stepMs;
    expect(await queue.sweep()).toMatchObject({ requeued: 0 });
    expect(await queue.gate("g")).toEqual(before);
    expect((await queue.claim({ ...claim, worker: "w2" })).leases).toEqual([]);
    const inMs = (await queue.wakeInMs(["work"]))!;
    expect(inMs).toBeGreaterThan(hourMs - 60_000);
    expect(inMs).toBeLessThanOrEqual(hourMs);
  });
});

describe("after a boot", () => {
  test("what was leased is void, and comes back at once", async () => {
    using folder = createTempFolder();
    const before = open(folder.file);
    await before.queue.add([{ kind: "work", key: "a" }]);
    const { leases } = await before.queue.claim({
      worker: "w",
      kinds: ["work"],
      leaseMs: 24 * hourMs,
    });
    await before.queue[Symbol.asyncDispose]();

    reboot(folder.file);
    const after = open(folder.file);
    await using queue = after.queue;
    const again = await queue.claim({ worker: "w2", kinds: ["work"] });
    expect(again.leases).toMatchObject([{ key: "a", isSuspect: true, used: 2 }]);
    const late = await queue.finish([{ ...leases[0]!, outcome: { kind: "done" } }]);
    expect(late).toEqual([{ status: "lost" }]);
  });

  test("lesson 18: opening a file within the same boot leaves leases alone", async () => {
    using folder = createTempFolder();
    const first = open(folder.file);
    await first.queue.add([{ kind: "work", key: "a" }]);
    const { leases } = await first.queue.claim({ worker: "w", kinds: ["work"] });
    const second = open(folder.file, yearMs);
    await using queue = second.queue;
    expect((await queue.claim({ worker: "w2", kinds: ["work"] })).leases).toEqual([]);
    const answers = await first.queue.finish([{ ...leases[0]!, outcome: { kind: "done" } }]);
    expect(answers).toEqual([{ status: "done" }]);
    await first.queue[Symbol.asyncDispose]();
  });

  test.each([
    ["right", 0],
    ["an hour ahead", hourMs],
    ["a year behind", -yearMs],
  ])("the delay of every gate begins again, with a wall clock that is %s", async (_, offsetMs) => {
    using folder = createTempFolder();
    const before = open(folder.file);
    for (const gate of ["ended", "held"]) {
      await before.queue.setGate(gate, { delayMs: 60_000 });
      await before.queue.add([
        { kind: gate, key: "a", gate },
        { kind: gate, key: "b", gate },
      ]);
    }
    await before.queue.block("blocked", 2 * hourMs);
    await before.queue.add([{ kind: "blocked", key: "a", gate: "blocked" }]);
    const blocked = await before.queue.gate("blocked");
    const claim = { worker: "w", burst: 1 };
    const { leases } = await before.queue.claim({ ...claim, kinds: ["ended"] });
    await before.queue.finish([{ ...leases[0]!, outcome: { kind: "done" }, sinceStartMs: 0 }]);
    await before.queue.claim({ ...claim, kinds: ["held"] });
    await before.queue[Symbol.asyncDispose]();

    reboot(folder.file);
    const after = open(folder.file, offsetMs);
    await using queue = after.queue;
    await queue.sweep();
    for (const gate of ["ended", "held"]) {
      const inMs = (await queue.gate(gate))!.opensAtMs - (await after.nowMs());
      expect(inMs).toBeGreaterThan(30_000);
      expect(inMs).toBeLessThanOrEqual(60_000);
    }
    expect(await queue.gate("blocked")).toEqual(blocked);
    const kinds = ["ended", "held", "blocked"];
    expect((await queue.claim({ worker: "w2", kinds })).leases).toEqual([]);
    expect((await queue.wakeInMs(kinds))!).toBeGreaterThan(30_000);
    expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
  });

  test("a gate that was open has to wait again, and its lanes with it", async () => {
    using folder = createTempFolder();
    const before = open(folder.file);
    await before.queue.setGate("g", { delayMs: 20 });
    await before.queue.add([
      { kind: "work", key: "a", gate: "g" },
      { kind: "work", key: "b", gate: "g" },
    ]);
    const { leases } = await before.queue.claim({ worker: "w", kinds: ["work"], burst: 1 });
    await before.queue.finish([{ ...leases[0]!, outcome: { kind: "done" }, sinceStartMs: 0 }]);
    while ((await before.queue.wakeInMs(["work"])) !== 0) await sleep(systemClock, 5);
    await before.queue.claim({ worker: "w", kinds: ["none"] }); // which opens what may open
    await before.queue[Symbol.asyncDispose]();

    reboot(folder.file);
    const after = open(folder.file);
    await using queue = after.queue;
    expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
    while ((await queue.wakeInMs(["work"])) !== 0) await sleep(systemClock, 5);
    const again = await queue.claim({ worker: "w", kinds: ["work"] });
    expect(again.leases).toMatchObject([{ key: "b" }]);
  });

  test("time never goes back, though the wall clock is a year behind", async () => {
    using folder = createTempFolder();
    const before = open(folder.file);
    await before.queue.add([
      { kind: "work", key: "a" },
      { kind: "work", key: "b" },
    ]);
    const { leases } = await before.queue.claim({ worker: "w", kinds: ["work"], limit: 1 });
    const createdMs = await before.nowMs();
    while ((await before.nowMs()) < createdMs + 20); // so that finishing is later than the claim
    await before.queue.finish([{ ...leases[0]!, outcome: { kind: "done" } }]);
    const finishedMs = (await before.queue.show(leases[0]!.id))!.task.finishedAtMs;
    await before.queue[Symbol.asyncDispose]();

    reboot(folder.file);
    const after = open(folder.file, -yearMs);
    await using queue = after.queue;
    expect(await after.nowMs()).toBeGreaterThan(finishedMs);
    const again = await queue.claim({ worker: "w", kinds: ["work"] });
    expect(again.leases[0]!.token).toBeGreaterThan(leases[0]!.token);
    const age = (await queue.show(again.leases[0]!.id))!.ageMs;
    expect(age).toBeGreaterThanOrEqual(20);
    expect(age).toBeLessThan(60_000);
  });
});
