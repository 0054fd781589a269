// process: own
// inputs: src/queue/**
import Database from "better-sqlite3";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type QueueFixture, openFixture, works } from "../../testing/suite-fixture.ts";
import { createSuiteTime } from "../../testing/suite-time.ts";
import { addBlocked, readAll, workAll } from "../../testing/work-all.ts";
import { openSqliteQueueStore } from "./sqlite-queue-store.ts";
import { createTempFolder } from "./testing/temp-folder.ts";

afterEach(() => vi.restoreAllMocks());

interface Plan {
  readonly sql: string;
  readonly steps: readonly string[];
}

/**
 * The plans of all statements that the store prepares while `use` has it; if `use` answers with more
 * to do, the plans of all statements that are run for that.
 */
async function plansOf(use: (at: QueueFixture) => Promise<unknown>): Promise<readonly Plan[]> {
  using folder = createTempFolder();
  const prepare = vi.spyOn(Database.prototype, "prepare");
  const open = async () =>
    openSqliteQueueStore({ file: folder.file, now: time.now, durability: "normal" });
  const time = createSuiteTime();
  await using at = await openFixture(
    async () => ({ store: await open(), openAnother: open }),
    time,
  );
  const more = await use(at);
  let texts = new Set(prepare.mock.calls.map(([sql]) => sql));
  prepare.mockRestore();
  if (typeof more === "function") {
    const run = spyOnRuns();
    await (more as () => Promise<unknown>)();
    texts = new Set(run());
    vi.restoreAllMocks();
  }

  const db = new Database(folder.file);
  try {
    return [...texts].filter(isExplained).map((sql) => ({ sql, steps: explain(db, sql) }));
  } finally {
    db.close();
  }
}

/** Not those on the table that a recount makes for itself, which only its connection has. */
const isExplained = (sql: string) =>
  /^\s*(?:select|with|insert|update|delete)\b/i.test(sql) && !/\brecount\b/.test(sql);

function explain(db: Database.Database, sql: string): readonly string[] {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 1]);
  const marks = [...sql.matchAll(/\?/g)].map(() => 1);
  const values = names.length > 0 ? [Object.fromEntries(names) as object] : marks;
  const rows = db.prepare(`explain query plan ${sql}`).all(...values) as { detail: string }[];
  return rows.map(({ detail }) => detail);
}

/** The statements that are run from now on, as often as they are; `onRows` hears what they read. */
function spyOnRuns(onRows: (rows: number) => void = () => {}): () => readonly string[] {
  const found: string[] = [];
  const db = new Database(":memory:");
  const statements = Object.getPrototypeOf(db.prepare("select 1")) as Database.Statement;
  db.close();
  for (const method of ["run", "get", "all", "iterate"] as const) {
    const original = Reflect.get(statements, method) as (...values: unknown[]) => unknown;
    vi.spyOn(statements, method).mockImplementation(function (
      this: Database.Statement,
      ...values: unknown[]
    ): never {
      found.push(this.source);
      const answer = original.apply(this, values);
      onRows(Array.isArray(answer) ? answer.length : answer === undefined ? 0 : 1);
      return answer as never;
    });
  }
  return () => found;
}

/** All tasks are read, or all in an index. */
const scansTasks = ({ sql, steps }: Plan) =>
  !allowed.has(sql) && steps.some((step) => /^SCAN (?:task|t)\b/.test(step));

/** Once after each boot, and all of its index is what is wanted: the running tasks. */
const allowed = new Set(["update task set expires_at = ? where state = 4"]);

/** All of a table is read, or all of an index. The first of an index, up to a limit, are not. */
const scansAny = ({ sql, steps }: Plan) =>
  steps.some(
    (step) =>
      /^SCAN (?:task|t|log|kept_key|claim)\b/.test(step) &&
      !(/USING (?:COVERING )?INDEX/.test(step) && /\blimit @?\w+$/.test(sql.trim())),
  );

/** A backlog and a log that the reads of the test stand beside. */
async function fill({ queue }: QueueFixture): Promise<void> {
  for (let part = 0; part < 10; part++) {
    const gate = part === 0 ? {} : { gate: `full ${part}` };
    await queue.add(works(`backlog ${part} `, 10_000, { kind: "other", ...gate }));
  }
  const { leases } = await queue.claim({ worker: "w", kinds: ["other"], limit: 1_000 });
  await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } })));
  await queue.archive({ states: ["done"] });
}

/** The statements and rows of a claim of ten tasks, with this many tasks that must wait. */
async function claimConcurrently(blocked: number) {
  using folder = createTempFolder();
  const time = createSuiteTime();
  const open = async () =>
    openSqliteQueueStore({ file: folder.file, now: time.now, durability: "normal" });
  await using at = await openFixture(
    async () => ({ store: await open(), openAnother: open }),
    time,
  );
  await addBlocked(at, blocked);
  let rows = 0;
  const run = spyOnRuns((read) => (rows += read));
  expect(await at.claim({ limit: 10 })).toHaveLength(10);
  const statements = run();
  vi.restoreAllMocks();
  return { statements, rows };
}

describe("statement plans", () => {
  test("with 100,000 tasks no read of the port scans a table", async () => {
    const plans = await plansOf(async (at) => {
      await fill(at);
      await workAll(at);
      return () => readAll(at);
    });
    expect(plans.length).toBeGreaterThan(25);
    expect(plans.filter(scansAny)).toEqual([]);
  });

  test("nothing that workers or the dashboard do reads through all tasks", async () => {
    const plans = await plansOf(workAll);
    expect(plans.length).toBeGreaterThan(50);
    expect(
      plans.filter((plan) => plan.steps.some((step) => /\b(?:task|t)\b/.test(step))).length,
    ).toBeGreaterThan(20);
    expect(plans.filter(scansTasks)).toEqual([]);
  });

  test("turns and lanes are walked in the order of an index, never sorted", async () => {
    const plans = await plansOf(workAll);
    const walked = plans.filter(({ sql }) => /order by top desc/.test(sql));
    const steps = walked.map((plan) => plan.steps);
    expect(steps).toContainEqual([expect.stringContaining("INDEX turn_next (kind=?)") as unknown]);
    expect(steps).toContainEqual([
      expect.stringContaining("lane_open (job=? AND kind=?)") as unknown,
    ]);
    expect(steps.flat().filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
  });

  test("C6: statistics are one statement, which reads lanes in the order of an index", async () => {
    using folder = createTempFolder();
    const time = createSuiteTime();
    const open = async () => openSqliteQueueStore({ file: folder.file, now: time.now });
    await using at = await openFixture(
      async () => ({ store: await open(), openAnother: open }),
      time,
    );
    await workAll(at);
    const run = spyOnRuns();
    const stats = await at.queue.stats();
    expect(stats.lanes).toBeGreaterThan(0);
    expect(run()).toHaveLength(1);
    const db = new Database(folder.file);
    const steps = explain(db, run()[0]!);
    db.close();
    expect(steps).toContainEqual(expect.stringContaining("SEARCH lane USING INDEX lane_gate"));
    expect(steps.filter((step) => /^(?:SCAN|SEARCH) (?:task|t)\b/.test(step) && !/INDEX|PRIMARY KEY/.test(step))).toEqual([]); // prettier-ignore
  });

  test("D3: a claim beside 50,000 blocked tasks does what it does beside 50", async () => {
    const [few, many] = [await claimConcurrently(50), await claimConcurrently(50_000)];
    expect(many.statements).toEqual(few.statements);
    expect(many.rows).toBeLessThanOrEqual(few.rows * 1.1);
  });

  test("a recount does, and this test would see it", async () => {
    const plans = await plansOf(async (at) => at.queue.reconcile());
    expect(plans.filter(scansTasks).length).toBeGreaterThan(0);
  });
});
