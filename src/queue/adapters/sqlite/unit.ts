import type { Database, Statement } from "better-sqlite3";
import { exactNow, type ModelNow } from "../../model/now.ts";
import { jobCounter, taskStates, type StateName } from "../../row-state.ts";
import { createRows, type SqliteLaneRow, type Rows } from "./rows.ts";

/**
 * What one transaction works on. Counters of jobs and lanes change only through `move`, in the
 * same transaction as the task they count.
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
  /** The lane of claims of this process that took from one lane only: claims never change. */
  readonly laneOfClaim: Map<number, number>;
  /** True if any key is reserved: then each add must look its keys up. */
  hasKeptKeys: boolean;
  /** Writes what is only counted so far, for a statement that reads it. */
  flush(): void;
}

/** Small numbers kept in the file beside the tables. */
export interface Meta {
  nextId: number;
  lastToken: number;
  /** Picks so far: what `job.served` counts in. */
  served: number;
  /** The latest `due_at` of any task that was made ready: should the wall clock go back behind
   * it, some ready tasks are not due any more. */
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
  /** Runs `work` in one write transaction; nothing of it is kept when it throws. */
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
  // Ids of purged tasks are in the log, unless that was pruned; the number beside the tasks counts.
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
    // An id is never given twice, whatever happened to the number beside the tasks.
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

/** One task, or `count` of them, goes from one state to another: lane and job count it. */
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

/** Rows of a claim come as arrays, which are made quicker than objects. */
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
/** Tasks that one statement inserts. */
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
  /** To the earliest of its leases that still run. */
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
