// process: own
// needs: postgres
// inputs: src/queue/** src/base/**
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { openFixture, works, type QueueFixture } from "../../testing/suite-fixture.ts";
import { createSuiteTime } from "../../testing/suite-time.ts";
import { addBlocked, readAll, workAll } from "../../testing/work-all.ts";
import { openPostgresQueueStore } from "./postgres-queue-store.ts";
import { createTestSchema, type TestSchema } from "./testing/test-schema.ts";

afterEach(() => vi.restoreAllMocks());

interface Sent {
  readonly sql: string;
  /** What its transaction began with, settings of the planner among it. */
  readonly begin: string;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

interface Plan extends Sent {
  readonly nodes: readonly PlanNode[];
}

needs(["postgres"], ({ postgres }) => {
  describe("statement plans with 100,000 tasks", () => {
    let worked: readonly Plan[];
    let recounted: readonly Plan[];
    let replanned: readonly string[];
    let statistics: readonly Sent[];
    let read: readonly Plan[];
    beforeAll(async () => {
      await using schema = await createTestSchema(postgres.url);
      const time = createSuiteTime();
      const open = () =>
        openPostgresQueueStore({ url: postgres.url, schema: schema.name, now: time.now });
      await using at = await openFixture(
        async () => ({ store: await open(), openAnother: open }),
        time,
      );
      await fill(at);
      await schema.query("analyze");
      const spied = async (use: (at: QueueFixture) => Promise<unknown>) => {
        const spy = spyOnStatements();
        await use(at);
        vi.restoreAllMocks();
        return spy;
      };
      const work = await spied(workAll);
      read = await explainAll(schema, (await spied(readAll)).sent());
      replanned = await replannedWrites(work);
      worked = await explainAll(schema, work.sent());
      statistics = (await spied(() => at.queue.stats())).sent();
      const recount = await spied(() => at.queue.reconcile());
      recounted = await explainAll(schema, recount.sent());
    });

    test("nothing that workers or the dashboard do reads through all tasks", () => {
      expect(worked.length).toBeGreaterThan(50);
      expect(worked.filter(({ nodes }) => nodes.some(isOfTask)).length).toBeGreaterThan(20);
      expect(worked.filter(scansTasks).map(scanOf)).toEqual([]);
    });

    test("no read of the port scans a table", () => {
      expect(read.length).toBeGreaterThan(20);
      const scanned = new Set(["task", "log", "kept_key"]);
      const scans = ({ nodes }: Plan) =>
        nodes.some(
          (node) => node["Node Type"] === "Seq Scan" && scanned.has(node["Relation Name"] ?? ""),
        );
      expect(read.filter(scans).map(({ sql }) => sql)).toEqual([]);
      expect(read.filter(scansTasks).map(scanOf)).toEqual([]);
    });

    test("C6: statistics are one statement", () => {
      expect(statistics.map(({ sql }) => sql)).toHaveLength(1);
    });

    test("a claim takes the best of a lane in the order of its index", () => {
      const takes = worked.filter(
        ({ sql }) => /skip locked/.test(sql) && /priority desc/.test(sql),
      );
      expect(takes.length).toBeGreaterThan(0);
      for (const { nodes } of takes) {
        expect(nodes.some((node) => node["Index Name"] === "task_ready")).toBe(true);
        expect(nodes.some((node) => node["Node Type"] === "Sort" && reads(node, isOfTask))).toBe(
          false,
        );
      }
    });

    test("what writes is planned once for all values, however many tasks there are", () => {
      expect(replanned).toEqual([]);
    });

    test("D3: a claim beside 50,000 blocked tasks does what it does beside 50", async () => {
      const [few, many] = [
        await claimConcurrently(postgres.url, 50),
        await claimConcurrently(postgres.url, 50_000),
      ];
      expect(many.statements).toEqual(few.statements);
      expect(few.rows).toBeGreaterThan(10);
      expect(many.rows).toBeLessThanOrEqual(few.rows * 1.1);
    });

    test("a recount does read all tasks, and this test would see it", () => {
      expect(recounted.filter(scansTasks).length).toBeGreaterThan(0);
    });
  });
});

/** The statements and rows of a claim of ten tasks, with this many tasks that must wait. */
async function claimConcurrently(url: string, blocked: number) {
  await using schema = await createTestSchema(url);
  const time = createSuiteTime();
  const open = () => openPostgresQueueStore({ url, schema: schema.name, now: time.now });
  // A session reports what it has read when it ends, a moment after it was closed.
  const within = async (use: (at: QueueFixture) => Promise<unknown>) => {
    await using at = await openFixture(
      async () => ({ store: await open(), openAnother: open }),
      time,
    );
    await use(at);
  };
  const rowsRead = async () => {
    const [row] = await schema.query<{ rows: string }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as rows
       from pg_stat_user_tables where schemaname = $1`,
      [schema.name],
    );
    return Number(row!.rows);
  };
  /** More than `before`, and the same for half a second. */
  const rowsReadAfter = async (before: number) => {
    const seen: number[] = [];
    await vi.waitFor(
      async () => {
        seen.push(await rowsRead());
        expect(seen.at(-1)).toBeGreaterThan(before);
        expect(new Set(seen.slice(-5)).size + Math.max(0, 5 - seen.length)).toBe(1);
      },
      { timeout: 180_000, interval: 100 },
    );
    return seen.at(-1)!;
  };
  await within((at) => addBlocked(at, blocked));
  await schema.query("analyze");
  const before = await rowsReadAfter(0);
  let sent: readonly Sent[] = [];
  await within(async (at) => {
    const spy = spyOnStatements();
    expect(await at.claim({ limit: 10 })).toHaveLength(10);
    vi.restoreAllMocks();
    sent = spy.sent();
  });
  const statements = sent.map(({ sql }) => sql.replaceAll(schema.quoted, "queue"));
  return { statements, rows: (await rowsReadAfter(before)) - before };
}

/** A backlog next to the work of the test; no worker claims its kind. */
async function fill({ queue }: QueueFixture): Promise<void> {
  for (let part = 0; part < 10; part++) {
    const gate = part === 0 ? {} : { gate: `full ${part}` };
    await queue.add(works(`backlog ${part} `, 10_000, { kind: "other", ...gate }));
  }
  const { leases } = await queue.claim({ worker: "w", kinds: ["other"], limit: 1_000 });
  await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } })));
  await queue.archive({ states: ["done"] });
}

interface Spy {
  /** All that went to the server, once each. */
  sent(): readonly Sent[];
  /** The sessions that it went by. */
  sessions(): readonly pg.Client[];
}

function spyOnStatements(): Spy {
  const found = new Map<string, Sent>();
  const sessions = new Set<pg.Client>();
  const begins = new WeakMap<object, string>();
  const original = Reflect.get(pg.Client.prototype, "query") as (...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ): never {
    const [query] = args;
    sessions.add(this);
    const sql = typeof query === "string" ? query : (query as { text: string }).text;
    if (/^begin\b/.test(sql)) begins.set(this, sql);
    else if (/^(?:commit|rollback)$/.test(sql)) begins.delete(this);
    else if (/^\s*(?:select|with|insert|update|delete)\b/i.test(sql)) {
      found.set(sql, { sql, begin: begins.get(this) ?? "begin" });
    }
    return original.apply(this, args) as never;
  });
  return { sent: () => [...found.values()], sessions: () => [...sessions] };
}

/** Of what was written in transactions: statements that were planned for their values. */
async function replannedWrites(spy: Spy): Promise<readonly string[]> {
  const writes = new Set(
    spy.sent().flatMap(({ sql, begin }) => (/enable_seqscan/.test(begin) ? [sql] : [])),
  );
  const anew = new Set<string>();
  let seen = 0;
  for (const session of spy.sessions()) {
    const { rows } = await session.query<{ statement: string; custom_plans: string }>(
      "select statement, custom_plans from pg_prepared_statements",
    );
    for (const { statement, custom_plans } of rows) {
      if (!writes.has(statement)) continue;
      seen += 1;
      if (Number(custom_plans) > 0) anew.add(statement);
    }
  }
  expect(seen).toBeGreaterThan(20);
  return [...anew];
}

/** As the server plans a statement that it has prepared, whatever the values. */
async function explainAll(schema: TestSchema, all: readonly Sent[]): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for (const { sql, begin } of all) {
    const count = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, index]) => Number(index)));
    const values = Array.from({ length: count }, () => "null").join(", ");
    await schema.query(begin);
    // What only reads may be planned for its values as well.
    await schema.query("set local plan_cache_mode = force_generic_plan");
    await schema.query(`prepare planned as ${sql}`).catch((error: unknown) => {
      throw new Error(`cannot be prepared: ${sql}`, { cause: error });
    });
    const [row] = await schema.query<{ "QUERY PLAN": readonly { Plan: PlanNode }[] }>(
      `explain (format json) execute planned${count > 0 ? `(${values})` : ""}`,
    );
    await schema.query("rollback");
    await schema.query("deallocate planned");
    plans.push({ sql, begin, nodes: nodesOf(row!["QUERY PLAN"][0]!.Plan) });
  }
  return plans;
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];

const isOfTask = (node: PlanNode) =>
  node["Relation Name"] === "task" || (node["Index Name"]?.startsWith("task_") ?? false);
const reads = (node: PlanNode, is: (node: PlanNode) => boolean) => nodesOf(node).some(is);

/** These hold all tasks, or all of a backlog: read without a condition, that is all of it. */
const large = new Set(["task_pkey", "task_identity", "task_ready", "task_finished"]);

const isScan = (node: PlanNode) =>
  (node["Node Type"] === "Seq Scan" && node["Relation Name"] === "task") ||
  (large.has(node["Index Name"] ?? "") && node["Index Cond"] === undefined);
const scansTasks = ({ nodes }: Plan) => nodes.some(isScan);
/** The statement, after what it reads whole. */
const scanOf = ({ sql, nodes }: Plan) =>
  `${JSON.stringify(nodes.filter(isScan).map(({ Plans: _plans, ...node }) => node))} ${sql}`;
