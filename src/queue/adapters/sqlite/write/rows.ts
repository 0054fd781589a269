import type { Database } from "better-sqlite3";
import { hasRoom, isOpen, newGate, openFromMs, type Gate } from "../../../gate.ts";
import { newJob, type Job } from "../../../job.ts";
import { laneKey } from "../../../lane.ts";
import { stateNames, taskStates, type StateName } from "../../../row-state.ts";
import { createTurns } from "../claim/turns.ts";

/** A row of the table lane. */
export interface SqliteLaneRow extends Record<StateName, number> {
  readonly id: number;
  readonly scope: number;
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
  isOpen: boolean;
  /** Priority and id of the best ready task; without meaning if `ready` is 0. */
  top: number;
  head: number;
  /** Set when ready tasks were taken or put back in a way that may have changed the best one. */
  isHeadStale: boolean;
}
/** True if no task is left in the lane. */
export const isEmpty = (lane: SqliteLaneRow): boolean =>
  stateNames.every((state) => lane[state] === 0);

type Writable<T> = { -readonly [K in keyof T]: T[K] };
export type JobRow = Writable<Job>;
export type SqliteGateRow = Writable<Gate> & { wasOpen: boolean };

/**
 * A cache of the jobs, gates and lanes that a transaction uses: read once, changed here, written by
 * `flush`. It outlives the transaction as long as no other process writes, so a busy process rarely
 * reads a row twice.
 */
export interface Rows {
  job(name: string): JobRow | undefined;
  jobForWrite(name: string): JobRow;
  gate(name: string): SqliteGateRow | undefined;
  gateForWrite(name: string): SqliteGateRow;
  lane(id: number): SqliteLaneRow;
  laneForWrite(id: number): SqliteLaneRow;
  laneOf(kind: string, job: string, gate: string): SqliteLaneRow;
  /** The scope of (job, gate), or undefined if it never had a task. */
  scopeOf(job: string, gate: string): number | undefined;
  dropJob(name: string): void;
  dropGate(name: string): void;
  dropLane(lane: SqliteLaneRow): void;
  /** Names of the jobs that changed since the last call. */
  takeTouched(): readonly string[];
  /** Writes the changed rows, so that indexes are up to date. */
  flush(nowMs: number): void;
  /** Call between transactions: limits the memory. */
  trim(): void;
  forget(): void;
}

/** A cache with more rows is emptied: 100,000 hosts must not stay in memory. */
const cachedRowsMax = 10_000;

export function createRows(db: Database, now: () => number): Rows {
  const sql = prepare(db);
  const turns = createTurns(db);
  const jobs = new Map<string, JobRow>();
  const gates = new Map<string, SqliteGateRow>();
  const lanes = new Map<number, SqliteLaneRow>();
  const lanesByName = new Map<string, SqliteLaneRow>();
  const dirtyJobs = new Set<JobRow>();
  const dirtyGates = new Set<SqliteGateRow>();
  const dirtyLanes = new Set<SqliteLaneRow>();
  const dirtyTurns = new Map<string, TurnName>();
  const touched = new Set<string>();

  const markTurnDirty = ({ kind, job }: TurnName) =>
    dirtyTurns.set(`${kind}\0${job}`, { kind, job });
  const keepLane = (row: SqliteLaneRow) => {
    lanes.set(row.id, row);
    lanesByName.set(laneKey(row), row);
    return row;
  };

  const rows: Rows = {
    job(name) {
      const known = jobs.get(name);
      if (known) return known;
      const read = sql.readJob.get(name) as RawJob | undefined;
      if (!read) return undefined;
      const row = toJob(read);
      jobs.set(name, row);
      return row;
    },
    jobForWrite(name) {
      let row = rows.job(name);
      if (!row) {
        row = { ...newJob(name, now()) };
        jobs.set(name, row);
      }
      dirtyJobs.add(row);
      touched.add(name);
      return row;
    },
    gate(name) {
      const known = gates.get(name);
      if (known || name === "") return known;
      const read = sql.readGate.get(name) as RawGate | undefined;
      if (!read) return undefined;
      const row = toGate(read);
      gates.set(name, row);
      return row;
    },
    gateForWrite(name) {
      let row = rows.gate(name);
      if (!row) {
        row = { ...newGate(name), wasOpen: false };
        gates.set(name, row);
      }
      dirtyGates.add(row);
      return row;
    },
    lane: (id) => lanes.get(id) ?? keepLane(toLane(sql.readLane.get(id) as RawLane)),
    laneForWrite(id) {
      const row = rows.lane(id);
      dirtyLanes.add(row);
      return row;
    },
    laneOf(kind, job, gate) {
      const known = lanesByName.get(laneKey({ kind, job, gate }));
      if (known) return known;
      const read = sql.findLane.get(job, gate, kind) as RawLane | undefined;
      if (read) return keepLane(toLane(read));
      const scope = rows.scopeOf(job, gate) ?? null;
      // The gate's state in the file: `flush` opens or closes the lanes when that changes.
      const opened = gate === "" || rows.gate(gate)?.wasOpen === true;
      const made = sql.makeLane.get(scope, kind, job, gate, opened ? 1 : 0) as RawLane;
      if (scope === null) sql.ownScope.run(made.id);
      return keepLane(toLane({ ...made, scope: scope ?? made.id }));
    },
    scopeOf: (job, gate) => sql.readScope.get(job, gate) as number | undefined,
    dropJob(name) {
      const row = jobs.get(name);
      if (row) dirtyJobs.delete(row);
      jobs.delete(name);
      sql.dropJob.run(name);
    },
    dropGate(name) {
      const row = gates.get(name);
      if (row) dirtyGates.delete(row);
      gates.delete(name);
      sql.dropGate.run(name);
    },
    dropLane(lane) {
      dirtyLanes.delete(lane);
      markTurnDirty(lane);
      lanes.delete(lane.id);
      lanesByName.delete(laneKey(lane));
      sql.dropLane.run(lane.id);
    },
    takeTouched() {
      const names = [...touched];
      touched.clear();
      return names;
    },

    flush(nowMs) {
      for (const gate of dirtyGates) {
        const open = isOpen(gate, nowMs);
        sql.writeGate.run(
          gate.name,
          gate.delayMs,
          gate.limit,
          gate.blockedUntilMs,
          gate.opensAtMs,
          gate.running,
          gate.runSlots,
          openFromMs(gate),
          hasRoom(gate) ? 1 : 0,
          open ? 1 : 0,
        );
        if (open !== gate.wasOpen) {
          sql.openLanes.run(open ? 1 : 0, gate.name);
          // Read all at once: there are few, and an iterator of the driver would outlive the young
          // generation of the heap.
          for (const [id, kind, job, ready] of sql.lanesOfGate.all(gate.name) as LaneOfGate[]) {
            if (ready > 0) markTurnDirty({ kind, job });
            const lane = lanes.get(id);
            if (lane) lane.isOpen = open;
          }
          gate.wasOpen = open;
        }
      }
      for (const lane of dirtyLanes) {
        if (lane.isHeadStale) refreshHead(lane);
        sql.writeLane.run(
          lane.ready,
          lane.suspect,
          lane.scheduled,
          lane.backoff,
          lane.running,
          lane.done,
          lane.skipped,
          lane.failed,
          lane.isOpen ? 1 : 0,
          lane.top,
          lane.head,
          lane.id,
        );
        markTurnDirty(lane);
      }
      for (const job of dirtyJobs) {
        sql.writeJob.run(
          job.name,
          job.isPaused ? 1 : 0,
          job.isSealed ? 1 : 0,
          job.ended,
          job.concurrency,
          job.budget,
          job.gate,
          job.slots,
          job.added,
          job.overBudget,
          job.pending,
          job.running,
          job.done,
          job.skipped,
          job.failed,
          job.completions,
          job.openedAtMs,
          job.endedAtMs,
          job.served,
          job.requests,
        );
      }
      for (const { kind, job } of dirtyTurns.values()) turns.write(kind, job, rows.job(job));
      for (const job of dirtyJobs) turns.writeJob(job);
      dirtyTurns.clear();
      dirtyGates.clear();
      dirtyLanes.clear();
      dirtyJobs.clear();
    },
    trim() {
      if (jobs.size + gates.size + lanes.size > cachedRowsMax) rows.forget();
    },
    forget() {
      for (const map of [jobs, gates, lanes, lanesByName, dirtyTurns]) map.clear();
      for (const set of [dirtyJobs, dirtyGates, dirtyLanes, touched]) set.clear();
    },
  };

  function refreshHead(lane: SqliteLaneRow): void {
    const best = sql.readHead.get(lane.id) as { priority: number; id: number } | undefined;
    lane.top = best?.priority ?? 0;
    lane.head = best?.id ?? 0;
    lane.isHeadStale = false;
  }
  return rows;
}

type LaneOfGate = [id: number, kind: string, job: string, ready: number];
type TurnName = Pick<SqliteLaneRow, "kind" | "job">;

const jobColumns = `name, is_paused as isPaused, is_sealed as isSealed, ended, concurrency, budget,
  gate, slots, added, over_budget as overBudget, pending, running, done, skipped, failed,
  completions, opened_at as openedAtMs, ended_at as endedAtMs, served, requests`;
const gateColumns = `name, delay_ms as delayMs, capacity as "limit",
  blocked_until as blockedUntilMs, opens_at as opensAtMs, running, run_slots as runSlots,
  is_open as wasOpen`;
const laneColumns = `id, scope, kind, job, gate, ready, suspects as suspect, scheduled, backoff,
  running, done, skipped, failed, is_open as isOpen, top, head`;

export type RawJob = Omit<Job, "isPaused" | "isSealed"> & { isPaused: number; isSealed: number };
export type RawGate = Gate & { wasOpen: number };
type RawLane = Omit<SqliteLaneRow, "isOpen" | "isHeadStale"> & { isOpen: number };

/**
 * Copies field by field: an object from the driver is in dictionary mode, and so would be a spread
 * copy, which takes ten times the memory. With a gate for each host, that is most of the garbage of
 * a claim.
 */
export const toJob = (raw: RawJob): JobRow => ({
  name: raw.name,
  isPaused: raw.isPaused === 1,
  isSealed: raw.isSealed === 1,
  ended: raw.ended,
  concurrency: raw.concurrency,
  budget: raw.budget,
  gate: raw.gate,
  slots: raw.slots,
  added: raw.added,
  overBudget: raw.overBudget,
  pending: raw.pending,
  running: raw.running,
  done: raw.done,
  skipped: raw.skipped,
  failed: raw.failed,
  completions: raw.completions,
  openedAtMs: raw.openedAtMs,
  endedAtMs: raw.endedAtMs,
  served: raw.served,
  requests: raw.requests,
});
const toGate = (raw: RawGate): SqliteGateRow => ({
  name: raw.name,
  delayMs: raw.delayMs,
  limit: raw.limit,
  blockedUntilMs: raw.blockedUntilMs,
  opensAtMs: raw.opensAtMs,
  running: raw.running,
  runSlots: raw.runSlots,
  wasOpen: raw.wasOpen === 1,
});
const toLane = (raw: RawLane): SqliteLaneRow => ({
  id: raw.id,
  scope: raw.scope,
  kind: raw.kind,
  job: raw.job,
  gate: raw.gate,
  ready: raw.ready,
  suspect: raw.suspect,
  scheduled: raw.scheduled,
  backoff: raw.backoff,
  running: raw.running,
  done: raw.done,
  skipped: raw.skipped,
  failed: raw.failed,
  isOpen: raw.isOpen === 1,
  top: raw.top,
  head: raw.head,
  isHeadStale: false,
});

export const selectJobs = `select ${jobColumns} from job`;
export const selectGates = `select ${gateColumns} from gate`;
const selectLanes = `select ${laneColumns} from lane`;

const prepare = (db: Database) => ({
  readJob: db.prepare(`${selectJobs} where name = ?`),
  readGate: db.prepare(`${selectGates} where name = ?`),
  readLane: db.prepare(`${selectLanes} where id = ?`),
  findLane: db.prepare(`${selectLanes} where job = ? and gate = ? and kind = ?`),
  readScope: db.prepare("select scope from lane where job = ? and gate = ? limit 1").pluck(),
  makeLane: db.prepare(
    `insert into lane (scope, kind, job, gate, ready, suspects, scheduled, backoff, running, done,
       skipped, failed, is_open, top, head)
     values (coalesce(?, 0), ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, ?, 0, 0) returning ${laneColumns}`,
  ),
  ownScope: db.prepare("update lane set scope = id where id = ?"),
  dropJob: db.prepare("delete from job where name = ?"),
  dropGate: db.prepare("delete from gate where name = ?"),
  dropLane: db.prepare("delete from lane where id = ?"),
  openLanes: db.prepare("update lane set is_open = ? where gate = ?"),
  lanesOfGate: db.prepare("select id, kind, job, ready from lane where gate = ?").raw(),
  readHead: db.prepare(
    `select priority, id from task where lane = ? and state = ${taskStates.ready}
     order by priority desc, id limit 1`,
  ),
  writeJob: db.prepare(
    `insert or replace into job (name, is_paused, is_sealed, ended, concurrency, budget, gate,
       slots, added, over_budget, pending, running, done, skipped, failed, completions, opened_at,
       ended_at, served, requests)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  writeGate: db.prepare(
    `insert or replace into gate (name, delay_ms, capacity, blocked_until, opens_at, running,
       run_slots, open_from, has_room, is_open) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  writeLane: db.prepare(
    `update lane set ready = ?, suspects = ?, scheduled = ?, backoff = ?, running = ?, done = ?,
       skipped = ?, failed = ?, is_open = ?, top = ?, head = ? where id = ?`,
  ),
});
