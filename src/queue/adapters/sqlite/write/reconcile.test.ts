import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../../../base/random.ts";
import type { CounterDrift } from "../../../queue-store.ts";
import { openFixture, works, work, type QueueFixture } from "../../../testing/suite-fixture.ts";
import { expectExactCounters } from "../../../testing/suite-recount.ts";
import { createSuiteTime } from "../../../testing/suite-time.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";
import { createTempFolder } from "../testing/temp-folder.ts";

const dayMs = 86_400_000;

interface Planted extends QueueFixture {
  /** Changes the file behind the store's back. */
  plant(...statements: readonly string[]): void;
}

async function withFixture(check: (at: Planted) => Promise<void>): Promise<void> {
  using folder = createTempFolder();
  const open = async () =>
    openSqliteQueueStore({ file: folder.file, now: time.now, durability: "normal" });
  const time = createSuiteTime();
  await using at = await openFixture(
    async () => ({ store: await open(), openAnother: open }),
    time,
  );
  const plant = (...statements: readonly string[]) => {
    const db = new Database(folder.file);
    for (const one of statements) expect(db.prepare(one).run().changes).toBeGreaterThan(0);
    db.close();
  };
  await check({ ...at, plant });
}

/**
 * Lane "a/j/" has tasks in every state, "run/j/g" a run of two under way and one more, "many/j/m"
 * one of three at work in an open gate, "full/j/f" two of three where no more may be, and the gate
 * "idle" has nothing to do.
 */
async function fill(at: QueueFixture): Promise<void> {
  const { queue } = at;
  const all = { job: "j", attemptsMax: 5 };
  await queue.openJob("j", { concurrency: 20 });
  await queue.setGate("g", { delayMs: 1_000, limit: 1 });
  await queue.setGate("m", { limit: 5 });
  await queue.setGate("f", { limit: 2 });
  await at.add(
    ...works("a", 7, { ...all, kind: "a" }),
    ...works("run", 3, { ...all, kind: "run", gate: "g" }),
    ...works("many", 3, { ...all, kind: "many", gate: "m" }),
    work("idle", { ...all, kind: "idle", gate: "idle" }),
    work("later", { ...all, kind: "a", dueAtMs: at.time.now().wallMs + dayMs }),
    ...works("full", 3, { ...all, kind: "full", gate: "f" }),
  );
  const long = { leaseMs: dayMs, limit: 1 };
  await at.claim({ ...long, kinds: ["run"], burst: 2 });
  await at.claim({ ...long, kinds: ["many"] });
  expect(await at.claim({ ...long, kinds: ["full"], limit: 3 })).toHaveLength(2);
  await at.finish(await at.claimOne({ ...long, kinds: ["idle"] }));
  const leases = await at.claim({ ...long, kinds: ["a"], limit: 5 });
  await at.finish(leases[0]!);
  await at.finish(leases[1]!, { kind: "skip", reason: "s" });
  await at.finish(leases[2]!, { kind: "fail", reason: "f" });
  await at.finish(leases[3]!, { kind: "retry", delayMs: dayMs, reason: "r" });
  await at.claim({ worker: "w2", kinds: ["a"], leaseMs: 1_000, limit: 1 });
  await at.time.advance(1_000);
  expect(await queue.sweep()).toMatchObject({ requeued: 1 });
}

/** Everything that is still to be done can be claimed and finished. */
async function drain(at: QueueFixture): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    await at.time.advance(dayMs);
    for (const lease of await at.claim({
      kinds: ["a", "run", "many", "full"],
      worker: `drain${turn}`,
    })) {
      expect(await at.finish(lease, { kind: "done" }, { sinceStartMs: 0 })).toBe("done");
    }
    const { states } = await at.queue.stats();
    if (states.pending + states.running === 0) return;
  }
  throw new Error("some tasks cannot be had");
}

const planted: readonly (readonly [title: string, sql: string, drift: CounterDrift])[] = [
  ...(
    [
      ["ready", 1],
      ["scheduled", 1],
      ["backoff", 1],
      ["suspects", 1],
      ["running", 1],
      ["done", 1],
      ["skipped", 1],
      ["failed", 1],
    ] as const
  ).map(
    ([column, actual]) =>
      [
        `lane.${column}`,
        `update lane set ${column} = ${column} + 7 where kind = 'a'`,
        { counter: `lane a/j/ ${column}`, counted: actual + 7, actual },
      ] as const,
  ),
  [
    "lane.ready, when it says that there is nothing",
    "update lane set ready = 0 where kind = 'many'",
    { counter: "lane many/j/m ready", counted: 0, actual: 2 },
  ],
  [
    "lane.top",
    "update lane set top = 999 where kind = 'many'",
    { counter: "lane many/j/m top", counted: 999, actual: 500 },
  ],
  [
    "lane.head",
    "update lane set head = 999 where kind = 'many'",
    { counter: "lane many/j/m head", counted: 999, actual: 12 },
  ],
  [
    "lane.is_open, closed though its gate is open",
    "update lane set is_open = 0 where kind = 'many'",
    { counter: "lane many/j/m is_open", counted: 0, actual: 1 },
  ],
  [
    "lane.is_open, closed though it has no gate",
    "update lane set is_open = 0 where kind = 'a'",
    { counter: "lane a/j/ is_open", counted: 0, actual: 1 },
  ],
  [
    "lane.is_open, open though its gate is closed",
    "update lane set is_open = 1 where kind = 'run'",
    { counter: "lane run/j/g is_open", counted: 1, actual: 0 },
  ],
  [
    "gate.running, too many",
    "update gate set running = running + 7 where name = 'm'",
    { counter: "gate m running", counted: 8, actual: 1 },
  ],
  [
    "gate.running, none though a run is under way",
    "update gate set running = 0 where name = 'g'",
    { counter: "gate g running", counted: 0, actual: 2 },
  ],
  [
    "gate.run_slots, though nothing runs",
    "update gate set run_slots = 3 where name = 'idle'",
    { counter: "gate idle run_slots", counted: 3, actual: 0 },
  ],
  [
    "gate.has_room",
    "update gate set has_room = 0 where name = 'm'",
    { counter: "gate m has_room", counted: 0, actual: 1 },
  ],
  [
    "gate.open_from",
    "update gate set open_from = 4000000000000 where name = 'm'",
    { counter: "gate m open_from", counted: 4_000_000_000_000, actual: 0 },
  ],
  [
    "gate.is_open",
    "update gate set is_open = 1 where name = 'g'",
    { counter: "gate g is_open", counted: 1, actual: 0 },
  ],
  [
    "job.pending",
    "update job set pending = 0 where name = 'j'",
    { counter: "job j pending", counted: 0, actual: 8 },
  ],
  [
    "job.running",
    "update job set running = running + 7 where name = 'j'",
    { counter: "job j running", counted: 13, actual: 6 },
  ],
  [
    "job.slots, at its cap",
    "update job set slots = 20 where name = 'j'",
    { counter: "job j slots", counted: 20, actual: 5 },
  ],
  [
    "turn.top",
    "update turn set top = 999 where kind = 'many'",
    { counter: "turn many/j top", counted: 999, actual: 500 },
  ],
  [
    "turn.head",
    "update turn set head = 999 where kind = 'many'",
    { counter: "turn many/j head", counted: 999, actual: 12 },
  ],
  [
    "turn.served",
    "update turn set served = served + 7 where kind = 'many'",
    { counter: "turn many/j served", counted: 13, actual: 6 },
  ],
  [
    "turn.is_claimable",
    "update turn set is_claimable = 0 where kind = 'many'",
    { counter: "turn many/j is_claimable", counted: 0, actual: 1 },
  ],
  [
    "the turns, where one is missing",
    "delete from turn where kind = 'many'",
    { counter: "turn many/j rows", counted: 0, actual: 1 },
  ],
  [
    "the turns, where one is of no open lane",
    "insert into turn (kind, job, top, head, served, is_claimable) values ('run', 'j', 5, 1, 0, 1)",
    { counter: "turn run/j rows", counted: 1, actual: 0 },
  ],
];

describe("drift", () => {
  test.each(planted)("in %s is reported as it is, and put right", async (_, sql, drift) => {
    await withFixture(async (at) => {
      await fill(at);
      await expectExactCounters(at.store);
      at.plant(sql);
      const seen = { drift: [drift], orphans: 0, repaired: false };
      expect(await at.queue.reconcile()).toEqual(seen);
      // Looking has changed nothing.
      expect(await at.queue.reconcile()).toEqual(seen);
      expect(await at.queue.reconcile({ repair: true })).toEqual({ ...seen, repaired: true });
      await expectExactCounters(at.store);
      await drain(at);
      await expectExactCounters(at.store);
    });
  });

  test("in claim.open is reported as it is, and put right", async () => {
    await withFixture(async (at) => {
      await fill(at);
      const token = (await at.queue.browse({ states: ["running"], kind: "run" }))[0]!.token;
      at.plant(`update claim set open = 0 where token = ${token}`);
      const drift = [{ counter: `claim ${token} open`, counted: 0, actual: 2 }];
      expect(await at.queue.reconcile({ repair: true })).toEqual({
        drift,
        orphans: 0,
        repaired: true,
      });
      await drain(at);
      await expectExactCounters(at.store);
    });
  });

  test("in many counters at once is reported for each, without echoes", async () => {
    await withFixture(async (at) => {
      await fill(at);
      const several = planted.filter(([title]) => /^(?:lane|gate|job|turn)\.\w+$/.test(title));
      expect(several.length).toBeGreaterThan(12);
      at.plant(...several.map(([, sql]) => sql));
      const { drift } = await at.queue.reconcile({ repair: true });
      const byCounter = (a: CounterDrift, b: CounterDrift) => (a.counter < b.counter ? -1 : 1);
      expect([...drift].sort(byCounter)).toEqual(several.map(([, , one]) => one).sort(byCounter));
      await expectExactCounters(at.store);
      await drain(at);
    });
  });

  test("lesson 16: there is none after any work", async () => {
    await withFixture(async (at) => {
      const random = createSeededRandom(16);
      for (let turn = 0; turn < 150; turn++) {
        const gate = ["", "g", "m"][random.below(3)]!;
        const job = `j${random.below(3)}`;
        await at.queue.add(works(`${turn}-`, random.below(5) + 1, { gate, job }));
        const leases = await at.claim({ worker: `w${random.below(3)}`, leaseMs: 2_000, limit: 5 });
        for (const lease of leases) {
          const kind = (["done", "fail", "skip", "retry", "none"] as const)[random.below(5)]!;
          if (kind === "done") await at.finish(lease, { kind });
          else if (kind === "retry") await at.finish(lease, { kind, delayMs: 900, reason: "r" });
          else if (kind !== "none") await at.finish(lease, { kind, reason: "r" });
        }
        if (turn % 10 === 0) await at.queue.setGate("m", { limit: random.below(4) + 1 });
        if (turn % 25 === 24) await at.queue.purge({ states: ["done"] });
        await at.time.advance(random.below(500));
      }
      expect(await at.queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
    });
  });
});

describe("orphans", () => {
  test("D11: 16,083 planted orphans are found and repaired", async () => {
    await withFixture(async (at) => {
      const { queue } = at;
      await at.add(
        ...works("lost", 5_000, { kind: "lost", job: "lost" }),
        ...works("gone", 5_000, { job: "gone" }),
      );
      await at.add(
        ...works("ended", 4_083, { job: "ended" }),
        ...works("held", 2_000, { kind: "held" }),
        ...works("well", 100, { job: "w" }),
      );
      const held = await at.claim({ kinds: ["held"], limit: 2_000 });
      expect(held).toHaveLength(2_000);
      at.plant(
        "delete from lane where kind = 'lost'",
        "delete from job where name = 'gone'",
        "update job set ended = 'completed', is_sealed = 1 where name = 'ended'",
        "delete from claim",
      );

      const drift = [
        { counter: "job lost pending", counted: 5_000, actual: 0 },
        { counter: "turn work/gone rows", counted: 1, actual: 0 },
        { counter: "turn lost/lost rows", counted: 1, actual: 0 },
        { counter: "turn work/ended is_claimable", counted: 1, actual: 0 },
      ];
      const seen = { drift, orphans: 16_083, repaired: false };
      expect(await queue.reconcile()).toEqual(seen);
      expect(await queue.reconcile({ repair: true })).toEqual({ ...seen, repaired: true });
      await expectExactCounters(at.store);

      // The first values are unknown, so the orphan is kept where people look.
      const [lost] = await queue.browse({ states: ["failed"], job: "orphans", limit: 1 });
      expect(lost).toMatchObject({
        key: "lost0",
        attempts: [{ reason: expect.stringContaining("lane was missing") as unknown }],
      });
      expect((await queue.job("orphans"))!.failed).toBe(5_000);
      expect((await queue.job("gone"))!.pending).toBe(5_000);
      expect(await queue.job("ended")).toMatchObject({ pending: 0, skipped: 4_083 });
      expect(await queue.job("w")).toMatchObject({ pending: 100, skipped: 0, failed: 0 });

      // A worker that is still alive may finish; tasks that are not finished are swept and claimed again.
      expect(await at.finish(held[0]!)).toBe("done");
      const some = await at.claim({ worker: "w2", limit: 10_000 });
      expect(some).toHaveLength(5_100);
      await at.time.advance(60_000);
      expect(await queue.sweep()).toMatchObject({ requeued: 1_000, hasMore: true });
      expect(await at.claim({ worker: "w3", kinds: ["held"] })).toMatchObject([
        { key: "held1", isSuspect: true },
      ]);
      await expectExactCounters(at.store);
    });
  });

  test("tasks whose gate is missing can be had again, one at a time", async () => {
    await withFixture(async (at) => {
      await at.add(...works("a", 3, { gate: "g" }), work("b", { gate: "h" }));
      at.plant("delete from gate where name = 'g'");
      expect(await at.queue.reconcile({ repair: true })).toMatchObject({
        orphans: 3,
        repaired: true,
      });
      await expectExactCounters(at.store);
      expect(await at.claim({ kinds: ["work"], burst: 1 })).toHaveLength(2);
    });
  });

  test("what failed before it was an orphan keeps its reasons", async () => {
    await withFixture(async (at) => {
      await at.add(work("a", { job: "j" }), work("b", { job: "k" }));
      for (const lease of await at.claim()) {
        await at.finish(lease, { kind: "retry", delayMs: 0, reason: "first" });
      }
      at.plant(
        "delete from lane where job = 'j'",
        "update job set ended = 'completed' where name = 'k'",
      );
      expect(await at.queue.reconcile({ repair: true })).toMatchObject({ orphans: 2 });
      for (const { attempts } of await at.queue.browse()) {
        expect(attempts.map(({ outcome }) => outcome)).toEqual(["retry", "cancelled"]);
      }
      expect(await at.queue.retry({ job: "k", states: ["skipped"] })).toBe(1);
      expect(await at.claim()).toMatchObject([{ key: "b" }]);
    });
  });

  test("a task that is an orphan in two ways counts once", async () => {
    await withFixture(async (at) => {
      await at.add(work("a"));
      await at.claimOne();
      at.plant("delete from lane", "delete from claim", "delete from job");
      expect((await at.queue.reconcile({ repair: true })).orphans).toBe(1);
      await expectExactCounters(at.store);
    });
  });
});
