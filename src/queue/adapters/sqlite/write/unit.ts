import type { Database, Statement } from "better-sqlite3";
import { exactNow, type ModelNow } from "../../../model/now.ts";
import { jobCounter, taskStates, type StateName } from "../../../row-state.ts";
import { createRows, type SqliteLaneRow, type Rows } from "./rows.ts";

/**
 * The data of one transaction. Counters of jobs and lanes change only through `move`, in the same
 * transaction as the task.
 */
export interface Unit {
  readonly db: Database;
  readonly rows: Rows;
  readonly sql: TaskStatements;
  now: ModelNow;
  readonly meta: Meta;
  /** Waits that ended in this transaction: kind → bucket → count. */
  readonly waits: Map<string, Map<number, number>>;
  /** How many tasks left each claim in this transaction. */
  readonly left: Map<number, number>;
  /** The lane of claims that took from one lane only. Claims never change, so this is a cache. */
  readonly laneOfClaim: Map<number, number>;
  /** True if any key is reserved: then each add must look up its keys. */
  hasKeptKeys: boolean;
  /** Writes counters that are kept in memory, before a statement that reads them. */
  flush(): void;
}

/** Small numbers that the file has in the table meta. */
export interface Meta {
  nextId: number;
  lastToken: number;
  /** The number of picks so far, which is the unit of `job.served`. */
  served: number;
  /**
   * The latest `due_at` of any task that was made ready. If the wall clock goes back behind it,
   * some ready tasks are not due any more.
   */
  readyDueMs: number;
  raised: number;
  unchanged: number;
}
const emptyMeta: Meta = {
  nextId: 1,
  lastToken: 0,
  served: 0,
  readyDueMs: 0,
  raised: 0,
  unchanged: 0,
};
const metaNames = ["nextId", "lastToken", "served", "readyDueMs", "raised", "unchanged"] as const;

const claimsKnownMax = 10_000;

export interface UnitStore {
  /** Runs `work` in one write transaction; if it throws, nothing is kept. */
  run<T>(now: () => ModelNow, work: (unit: Unit) => T): T;
}

export function createUnitStore(db: Database): UnitStore {
  const meta: Meta = { ...emptyMeta };
  let written: Meta = { ...meta };
  const unit: Unit = {
    db,
    rows: createRows(db, () => unit.now.ms),
    sql: prepareTasks(db),
    now: exactNow({ ms: 0, wallMs: 0 }),
    meta,
    waits: new Map(),
    left: new Map(),
    laneOfClaim: new Map(),
    hasKeptKeys: false,
    flush,
  };
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const rollback = db.prepare("rollback");
  const dataVersion = db.prepare("pragma data_version").pluck();
  const readMeta = db.prepare("select name, value from meta");
  const writeMeta = db.prepare("insert or replace into meta (name, value) values (?, ?)");
  // The ids of purged tasks are in the log, unless that was pruned; then the number in meta counts.
  const lastId = db
    .prepare(
      "select max(coalesce((select max(id) from task), 0), coalesce((select max(id) from log), 0))",
    )
    .pluck();
  const anyKeptKey = db.prepare("select exists (select 1 from kept_key)").pluck();
  const addWait = db.prepare(
    `insert into wait (kind, bucket, count) values (?, ?, ?)
     on conflict do update set count = count + excluded.count`,
  );
  let knownVersion: unknown;

  function load(): void {
    unit.rows.forget();
    Object.assign(meta, emptyMeta);
    for (const { name, value } of readMeta.all() as { name: keyof Meta; value: number }[]) {
      if (metaNames.includes(name)) meta[name] = value;
    }
    written = { ...meta };
    // An id is never used twice, whatever happened to the number in meta.
    meta.nextId = Math.max(meta.nextId, Number(lastId.get() ?? 0) + 1);
    unit.hasKeptKeys = anyKeptKey.get() === 1;
  }

  function flush(): void {
    unit.rows.flush(unit.now.ms);
    for (const name of metaNames) {
      if (meta[name] !== written[name]) writeMeta.run(name, meta[name]);
    }
    written = { ...meta };
    for (const [kind, buckets] of unit.waits) {
      for (const [bucket, count] of buckets) addWait.run(kind, bucket, count);
    }
    unit.waits.clear();
    for (const [token, count] of unit.left) unit.sql.leave.run(count, token);
    unit.left.clear();
  }

  return {
    run(now, work) {
      begin.run();
      try {
        const version = dataVersion.get();
        if (version !== knownVersion) load();
        unit.now = now();
        const result = work(unit);
        flush();
        commit.run();
        knownVersion = version;
        unit.rows.trim();
        if (unit.laneOfClaim.size > claimsKnownMax) unit.laneOfClaim.clear();
        return result;
      } catch (error) {
        knownVersion = undefined;
        unit.waits.clear();
        unit.left.clear();
        unit.laneOfClaim.clear();
        if (db.inTransaction) rollback.run();
        throw error;
      }
    },
  };
}

/** Moves one task, or `count` tasks, from one state to another in the counters of lane and job. */
export function move(
  { rows }: Unit,
  lane: SqliteLaneRow,
  from: StateName | undefined,
  to: StateName | undefined,
  count = 1,
): void {
  const job = rows.jobForWrite(lane.job);
  rows.laneForWrite(lane.id);
  if (from) {
    lane[from] -= count;
    job[jobCounter(from)] -= count;
  }
  if (to) {
    lane[to] += count;
    job[jobCounter(to)] += count;
  }
  if (from === "ready" || to === "ready") lane.isHeadStale = true;
}

/** Rows of a claim are arrays, which are created faster than objects. */
export type SqliteReadyRow = readonly [
  id: number,
  key: string,
  payload: string,
  priority: number,
  dueAtMs: number,
  createdAtMs: number,
  used: number,
  attemptsMax: number,
];
/** The number of tasks that one statement inserts. */
export const insertRows = 20;
const insertTasks = (rows: number) =>
  `insert or ignore into task (id, lane, scope, key, payload, priority, due_at, created_at,
     state, token, used, attempts_max, is_suspect, expires_at, attempts, result, finished_at)
   values ${Array(rows).fill("(?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, 0, 0, null, null, 0)").join()}`;

const readyColumns = "id, key, payload, priority, due_at, created_at, used, attempts_max";

type StatementName =
  | "insert"
  | "insertAll"
  | "laneOfLease"
  | "readReady"
  | "readSuspect"
  | "leaseAll"
  | "setState"
  | "done"
  | "doneOfLane"
  | "doneAll"
  | "update"
  | "setEarliest"
  | "setNextExpiry"
  | "leave"
  | "log"
  | "keepKey"
  | "findKept"
  | "findAllKept"
  | "remove";

export type TaskStatements = ReturnType<typeof prepareTasks>;

const { ready, suspect, running, done } = taskStates;

const prepareTasks = (db: Database): Readonly<Record<StatementName, Statement>> => ({
  insert: db.prepare(insertTasks(1)),
  insertAll: db.prepare(insertTasks(insertRows)),
  laneOfLease: db
    .prepare(`select lane from task where id = ? and token = ? and state = ${running}`)
    .pluck(),
  readReady: db
    .prepare(
      `select ${readyColumns} from task
       where lane = ? and state = ${ready} order by priority desc, id limit ?`,
    )
    .raw(),
  readSuspect: db
    .prepare(
      `select ${readyColumns} from task
       where lane = ? and state = ${suspect} order by priority desc, id limit 1`,
    )
    .raw(),
  leaseAll: db.prepare(
    `update task set state = ${running}, token = ?, used = used + 1, expires_at = ?
     where id in (select value from json_each(?))`,
  ),
  setState: db.prepare("update task set state = ? where id = ?"),
  done: db.prepare(
    `update task set state = ${done}, result = ?, finished_at = ?, expires_at = 0 where id = ?`,
  ),
  doneOfLane: db.prepare(
    `update task set state = ${done}, finished_at = ?, expires_at = 0
     where id in (select value from json_each(?)) and token = ? and state = ${running}
       and lane = ?`,
  ),
  doneAll: db
    .prepare(
      `update task set state = ${done}, finished_at = ?, expires_at = 0
       where id in (select value from json_each(?)) and token = ? and state = ${running}
       returning id, lane`,
    )
    .raw(),
  update: db.prepare(
    `update task set state = ?, priority = ?, due_at = ?, used = ?, is_suspect = ?, expires_at = ?,
       attempts = ?, result = ?, finished_at = ? where id = ?`,
  ),
  setEarliest: db.prepare("update claim set expires_at = min(expires_at, ?) where token = ?"),
  /** Sets it to the earliest end of its current leases. */
  setNextExpiry: db.prepare(
    `update claim set expires_at = coalesce((select min(expires_at) from task
       where token = @token and state = ${running}), expires_at) where token = @token`,
  ),
  leave: db.prepare("update claim set open = open - ? where token = ?"),
  log: db.prepare(
    `insert into log (id, kind, job, gate, key, state, created_at, finished_at, used, attempts_max,
       attempts)
     values (@id, @kind, @job, @gate, @key, @state, @createdAtMs, @finishedAtMs, @used,
       @attemptsMax, @attempts)`,
  ),
  keepKey: db.prepare(
    `insert or replace into kept_key (job, gate, key, id, kind, state, finished_at)
     values (?, ?, ?, ?, ?, ?, ?)`,
  ),
  findKept: db.prepare("select 1 from kept_key where job = ? and gate = ? and key = ?").pluck(),
  findAllKept: db
    .prepare(
      `select 1 from kept_key
       where (job, gate, key) in (values ${Array(insertRows).fill("(?, ?, ?)").join()}) limit 1`,
    )
    .pluck(),
  remove: db.prepare("delete from task where id = ?"),
});
