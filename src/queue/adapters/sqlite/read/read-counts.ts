import Database from "better-sqlite3";
import { assert } from "../../../../base/app-error.ts";
import { afterTick } from "../../../../base/tick.ts";
import { createKindCounter, type JobCounts, type QueueCounts } from "../../../read/counts.ts";
import type { Gate } from "../../../gate.ts";
import type { Lane } from "../../../lane.ts";
import type { StoreNow } from "../../../queue-store.ts";
import { stateLists, taskStates } from "../../../row-state.ts";
import { statement } from "../connection/statement.ts";

/**
 * Reads statistics with one statement, a few rows at a time, so that other work can run in between.
 * An open statement blocks its connection, so this uses a separate read-only connection. In WAL
 * mode a reader sees the file as it was at the start, so all rows are from the same moment.
 */
export interface CountsReader extends Disposable {
  /** One run at a time. Throws if the file is locked; `finish` does not. */
  begin(now: StoreNow): CountsRun;
}

export interface CountsRun {
  /**
   * True if the wall clock is behind the due time of a ready task, which is then not due any more.
   */
  readonly wentBack: boolean;
  finish(): Promise<QueueCounts>;
  /** Call this instead of `finish` to stop. */
  abandon(): void;
}

/** Rows that are read before other work runs: a few milliseconds. */
const sliceRows = 250;

export function createCountsReader(file: string): CountsReader {
  let db: Database.Database | undefined;
  const open = () => {
    if (db) return db;
    db = new Database(file, { readonly: true, fileMustExist: true });
    db.pragma("cache_size = -2048"); // KiB; small, because most pages are read once
    db.pragma("busy_timeout = 5");
    return db;
  };
  return {
    begin: (now) => run(statement(open(), countsSql).iterate(valuesOf(now)), now),
    [Symbol.dispose]: () => void db?.close(),
  };
}

/** For a database in memory, which cannot have a second connection: reads all rows at once. */
export const countAtOnce = (db: Database.Database, now: StoreNow): CountsRun =>
  run(statement(db, countsSql).all(valuesOf(now)).values(), now);

const valuesOf = (now: StoreNow) => ({ wallMs: now.wallMs });

function run(iterator: Iterator<unknown>, now: StoreNow): CountsRun {
  const rows = iterator as Iterator<CountsRow>;
  const first = rows.next();
  const [totals] = first.done || first.value.part !== "totals" ? [] : [first.value];
  assert(totals, "the totals come first");
  return {
    wentBack: (JSON.parse(totals.totals) as Totals).readyDueMs > now.wallMs,
    abandon: () => void rows.return?.(),
    async finish() {
      const counting = createCounting(now);
      let taken = 0;
      try {
        for (let next: typeof first = first; !next.done; next = rows.next()) {
          counting.take(next.value);
          taken += 1;
          if (taken % sliceRows === 0) await new Promise<void>(afterTick);
        }
      } finally {
        rows.return?.();
      }
      return counting.counts();
    },
  };
}

/**
 * Ids rise with the time of creation, so the first id of each priority is the oldest: one step per
 * priority.
 */
const oldestReadySql = `(with recursive step (priority, id) as (
    select * from (select priority, id from task where task.lane = lane.id and state = ${taskStates.ready}
      order by priority desc, id limit 1)
    union all
    select (select priority from task where task.lane = lane.id and state = ${taskStates.ready}
        and priority < step.priority order by priority desc, id limit 1),
      (select id from task where task.lane = lane.id and state = ${taskStates.ready}
        and priority < step.priority order by priority desc, id limit 1)
    from step where step.id is not null)
  select created_at from task where id = (select min(id) from step))`;

const oldestWaitingSql = (state: number) => `(select created_at from task
  where task.lane = lane.id and state = ${state} and state in ${stateLists.dueLater} and due_at > @wallMs
  order by id limit 1)`;

/** The columns that each part fills; all parts have all columns. */
const parts = {
  totals: {
    totals: `json_object('open', (select count(*) from job where ended is null and is_paused = 0),
      'paused', (select count(*) from job where ended is null and is_paused = 1),
      'ended', (select count(*) from job where ended is not null),
      'raised', (select value from meta where name = 'raised'),
      'unchanged', (select value from meta where name = 'unchanged'),
      'readyDueMs', coalesce((select value from meta where name = 'readyDueMs'), 0),
      'waits', (select json_group_array(json_array(kind, bucket, count)) from wait))`,
  },
  late: { lane: "lane", isScheduled: `state = ${taskStates.scheduled}`, createdAtMs: "created_at" },
  lanes: {
    lane: "lane.id",
    kind: "lane.kind",
    job: "lane.job",
    gate: "lane.gate",
    ready: "lane.ready",
    suspects: "lane.suspects",
    scheduled: "lane.scheduled",
    backoff: "lane.backoff",
    running: "lane.running",
    done: "lane.done",
    skipped: "lane.skipped",
    failed: "lane.failed",
    oldestReadyAtMs: `case when lane.ready > 0 then ${oldestReadySql} end`,
    oldestSuspectAtMs: `case when lane.suspects > 0
      then (select min(created_at) from task where task.lane = lane.id and state = ${taskStates.suspect}) end`,
    oldestScheduledAtMs: `case when lane.scheduled > 0 then ${oldestWaitingSql(taskStates.scheduled)} end`,
    oldestBackoffAtMs: `case when lane.backoff > 0 then ${oldestWaitingSql(taskStates.backoff)} end`,
    delayMs: "gate.delay_ms",
    limit: "gate.capacity",
    blockedUntilMs: "gate.blocked_until",
    opensAtMs: "gate.opens_at",
    gateRunning: "gate.running",
    runSlots: "gate.run_slots",
    isPaused: "job.is_paused",
    ended: "job.ended",
    concurrency: "job.concurrency",
    slots: "job.slots",
  },
} as const;

type Texts = "kind" | "job" | "gate";
type Nullable = `oldest${string}AtMs` | "delayMs" | "isPaused" | "concurrency";
type LaneColumn = keyof typeof parts.lanes;
type LanePart = { readonly [Column in Exclude<LaneColumn, Texts | Nullable | "ended">]: number } & {
  readonly [Column in Texts]: string;
} & { readonly [Column in LaneColumn & Nullable]: number | null } & {
  readonly ended: "completed" | "cancelled" | null;
};

type CountsRow =
  | { readonly part: "totals"; readonly totals: string }
  | {
      readonly part: "late";
      readonly lane: number;
      readonly isScheduled: number;
      readonly createdAtMs: number;
    }
  | ({ readonly part: "lanes" } & LanePart);

const columns = [...new Set(Object.values(parts).flatMap((part) => Object.keys(part)))];

const partSql = (part: keyof typeof parts, from: string): string => {
  const own: Readonly<Record<string, string>> = parts[part];
  const values = columns.map((column) => `${own[column] ?? "null"} as "${column}"`);
  return `select '${part}' as part, ${values.join(", ")} ${from}`;
};

/** Tasks that are due and not yet made ready by a claim come before their lanes. */
const countsSql = [
  partSql("totals", ""),
  partSql(
    "late",
    `from task indexed by task_due where state in ${stateLists.dueLater} and due_at <= @wallMs`,
  ),
  partSql(
    "lanes",
    `from lane indexed by lane_gate left join gate on gate.name = lane.gate
       left join job on job.name = lane.job where lane.gate >= ''`,
  ),
].join("\nunion all\n");

interface Totals extends JobCounts {
  readonly raised: number | null;
  readonly unchanged: number | null;
  readonly readyDueMs: number;
  readonly waits: readonly (readonly [string, number, number])[];
}

interface Late {
  scheduled: number;
  backoff: number;
  oldestAtMs: number;
}

function createCounting(now: StoreNow) {
  const counter = createKindCounter(now);
  const late = new Map<number, Late>();
  let totals: Pick<QueueCounts, "jobs" | "waits" | "raises"> | undefined;
  let lanes = 0;
  let gates = 0;
  let lastGate = "";

  return {
    take(row: CountsRow): void {
      if (row.part === "totals") totals = totalsOf(row.totals);
      else if (row.part === "late") {
        const known = late.get(row.lane) ?? { scheduled: 0, backoff: 0, oldestAtMs: Infinity };
        late.set(row.lane, known);
        known[row.isScheduled === 1 ? "scheduled" : "backoff"] += 1;
        known.oldestAtMs = Math.min(known.oldestAtMs, row.createdAtMs);
      } else {
        const gate = gateOf(row);
        lanes += 1;
        // Lanes are in the order of their gates.
        if (gate && gate.name !== lastGate) {
          gates += 1;
          lastGate = gate.name;
        }
        counter.add(laneOf(row, late.get(row.lane)), gate, jobOf(row));
      }
    },
    counts: (): QueueCounts => ({
      now,
      kinds: counter.kinds(),
      shards: 1,
      lanes,
      gates,
      ...totals!,
    }),
  };
}

function totalsOf(text: string): Pick<QueueCounts, "jobs" | "waits" | "raises"> {
  const { open, paused, ended, ...found } = JSON.parse(text) as Totals;
  const waits = new Map<string, Map<number, number>>();
  for (const [kind, bucket, count] of found.waits) {
    waits.set(kind, (waits.get(kind) ?? new Map<number, number>()).set(bucket, count));
  }
  const raises = { raised: found.raised ?? 0, unchanged: found.unchanged ?? 0 };
  return { jobs: { open, paused, ended }, waits, raises };
}

function laneOf(row: LanePart, late: Late | undefined): Lane {
  const { kind, job, gate, running, done, skipped, failed } = row;
  const scheduled = row.scheduled - (late?.scheduled ?? 0);
  const backoff = row.backoff - (late?.backoff ?? 0);
  const pending = row.ready + row.suspects + row.scheduled + row.backoff;
  const oldestReadyMs = Math.min(
    row.oldestReadyAtMs ?? Infinity,
    row.oldestSuspectAtMs ?? Infinity,
    late?.oldestAtMs ?? Infinity,
  );
  return {
    kind,
    job,
    gate,
    ready: pending - scheduled - backoff,
    scheduled,
    backoff,
    running,
    done,
    skipped,
    failed,
    oldestReadyAtMs: oldestReadyMs === Infinity ? 0 : oldestReadyMs,
    oldestScheduledAtMs: scheduled === 0 ? 0 : (row.oldestScheduledAtMs ?? 0),
    oldestBackoffAtMs: backoff === 0 ? 0 : (row.oldestBackoffAtMs ?? 0),
  };
}

const gateOf = (row: LanePart): Gate | undefined =>
  row.delayMs === null
    ? undefined
    : {
        name: row.gate,
        delayMs: row.delayMs,
        limit: row.limit,
        blockedUntilMs: row.blockedUntilMs,
        opensAtMs: row.opensAtMs,
        running: row.gateRunning,
        runSlots: row.runSlots,
      };

const jobOf = ({ isPaused, ended, concurrency, slots }: LanePart) =>
  isPaused === null ? undefined : { isPaused: isPaused === 1, ended, concurrency, slots };
