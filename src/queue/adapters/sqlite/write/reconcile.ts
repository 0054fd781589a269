import type { Database } from "better-sqlite3";
import type { CounterDrift, Reconciled } from "../../../queue-store.ts";
import { countOrphans, repairOrphans } from "./orphans.ts";
import { taskStates } from "../../../row-state.ts";
import { statement } from "../connection/statement.ts";
import { findTurnDrift, rebuildTurns } from "../claim/turns.ts";

/**
 * Recounts lanes, gates, jobs, claims and turns from the tasks alone and, with `repair`, corrects
 * what differs. Call it inside a write transaction.
 *
 * Counters depend on each other, so each one is corrected before the next is compared: the report
 * has only the own error of each counter. Without `repair`, all corrections are rolled back.
 */
export function reconcile(db: Database, repair: boolean, nowMs: number): Reconciled {
  const orphans = countOrphans(db);
  statement(db, "savepoint reconcile").run();
  try {
    recount(db);
    const drift = counters.flatMap((counter) => compareAndFix(db, counter, nowMs));
    drift.push(...findTurnDrift(db));
    if (repair && orphans > 0) {
      repairOrphans(db, nowMs);
      recount(db);
      for (const { fix } of counters) statement(db, fix).run({ nowMs });
    }
    if (repair) rebuildTurns(db);
    if (!repair) statement(db, "rollback to reconcile").run();
    return { drift, orphans, repaired: repair && (orphans > 0 || drift.length > 0) };
  } finally {
    // If SQLite has rolled back the whole transaction, there is no savepoint to release.
    if (db.inTransaction) statement(db, "release reconcile").run();
  }
}

function compareAndFix(
  db: Database,
  { find, fix }: Counter,
  nowMs: number,
): readonly CounterDrift[] {
  const drift = statement(db, find).all({ nowMs }) as CounterDrift[];
  if (drift.length > 0) statement(db, fix).run({ nowMs });
  return drift;
}

const laneStates = [
  "ready",
  "scheduled",
  "backoff",
  "suspects",
  "running",
  "done",
  "skipped",
  "failed",
] as const;

/** Reads all tasks once, into a temporary table in memory. */
function recount(db: Database): void {
  db.exec(
    `create temp table if not exists recount (lane integer primary key, ${laneStates.join(", ")});
     delete from recount;
     insert into recount
       select lane, ${laneStates.map((_, state) => `sum(state = ${state})`).join(", ")}
       from task group by lane`,
  );
}

interface Counter {
  /** Rows of (counter, counted, actual) that differ. */
  readonly find: string;
  readonly fix: string;
}

/** A column that is derived from others: `actual` is SQL over the table's own row. */
function derived(table: Table, column: string, actual: string, where = "true"): Counter {
  return {
    find: `select '${table} ' || ${names[table]} || ' ${column}' as counter,
        ${column} as counted, ${actual} as actual
      from ${table} where ${where} and counted <> actual`,
    fix: `update ${table} set ${column} = ${actual} where ${where} and ${column} <> ${actual}`,
  };
}

type Table = keyof typeof names;
const names = {
  lane: "lane.kind || '/' || lane.job || '/' || lane.gate",
  gate: "gate.name",
  job: "job.name",
  claim: "claim.token",
};

const best = (column: string) => `coalesce((select task.${column} from task
  where task.lane = lane.id and task.state = ${taskStates.ready} order by task.priority desc, task.id limit 1), 0)`;

const sumOfLanes = (of: string, owner: string) =>
  `coalesce((select sum(${of}) from lane where ${owner}), 0)`;

const counters: readonly Counter[] = [
  ...laneStates.map((column) =>
    derived(
      "lane",
      column,
      `coalesce((select recount.${column} from recount where recount.lane = lane.id), 0)`,
    ),
  ),
  // Both have no meaning while no task is ready.
  derived("lane", "top", best("priority"), "lane.ready > 0"),
  derived("lane", "head", best("id"), "lane.ready > 0"),

  derived("gate", "running", sumOfLanes("lane.running", "lane.gate = gate.name")),
  derived("gate", "run_slots", "0", "gate.running = 0"),
  derived(
    "gate",
    "has_room",
    `case when gate.run_slots > 0 or gate.delay_ms > 0 or gate.capacity = 1
       then gate.running = 0 else gate.running < gate.capacity end`,
  ),
  derived("gate", "open_from", "max(gate.blocked_until, gate.opens_at)"),
  // A lane that could be open but is not marked open is not an error: the next claim opens it.
  derived(
    "gate",
    "is_open",
    "(gate.has_room = 1 and gate.open_from <= @nowMs)",
    "gate.is_open = 1",
  ),
  derived(
    "lane",
    "is_open",
    `case when lane.gate = '' then 1
       else coalesce((select gate.is_open from gate where gate.name = lane.gate), 0) end`,
  ),

  derived(
    "job",
    "pending",
    sumOfLanes("lane.ready + lane.suspects + lane.scheduled + lane.backoff", "lane.job = job.name"),
  ),
  derived("job", "running", sumOfLanes("lane.running", "lane.job = job.name")),
  // A run counts as many slots as it may run tasks at once.
  derived(
    "job",
    "slots",
    sumOfLanes(
      `coalesce((select min(gate.run_slots, lane.running) from gate
         where gate.name = lane.gate and gate.run_slots > 0), lane.running)`,
      "lane.job = job.name",
    ),
  ),

  derived(
    "claim",
    "open",
    `(select count(*) from task where task.token = claim.token and task.state = ${taskStates.running})`,
  ),
];
