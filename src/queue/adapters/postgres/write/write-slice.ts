import { assert } from "../../../../base/app-error.ts";
import { isOpen, type Gate } from "../../../gate.ts";
import type { Job } from "../../../job.ts";
import { laneKey, scopeKey } from "../../../lane.ts";
import { changesOf, type NewRow, type SliceChanges } from "../../../slice/changes.ts";
import { newIdsFrom } from "../../../slice/slice.ts";
import type { Task } from "../../../task.ts";
import type { Counts } from "../read/counts.ts";
import type { PostgresSession } from "../connection/database.ts";
import { insertRows, updateTasks } from "./task-writes.ts";
import { writeGates, writeHeads, type PostgresLaneRow } from "../rows/rows.ts";
import type { LockedSlice } from "./slice.ts";

/**
 * Writes all changes of the model in the slice, except counters, which `counts` collects. Resolves
 * to a function from a provisional id to the id in the database; call it after the commit.
 */
export async function writeSlice(
  session: PostgresSession,
  slice: LockedSlice,
  counts: Counts,
): Promise<(provisional: number) => number> {
  const { draft, jobs, gates, lockedGates } = slice;
  const changes = changesOf(slice);
  const { added } = changes;
  insertJobs(session, changes.newJobs);
  updateJobs(
    session,
    changes.changedJobs.filter((job) => isChangedJob(job, jobs.get(job.name))),
  );
  insertGates(session, changes.newGates, draft.now.ms);
  const lanes = await ensureLanes(session, slice, added);
  updateTasks(session, changes.tasks);
  const ids = insertRows(
    session,
    added.map(({ task, state }) => {
      return { task, lane: lanes.get(laneKey(task))!, isDue: state === "ready" };
    }),
    draft.now.ms,
  );
  const changedGates = [...draft.gates.values()].filter((gate) => {
    const before = gates.get(gate.name);
    if (!before || !lockedGates.has(gate.name)) return false;
    return isChangedGate(gate, before) || isOpen(gate, draft.now.ms) !== before.wasOpen;
  });
  writeGates(session, changedGates, draft.now.ms);
  writeHeads(session, staleHeads(changes, lanes));
  writeClaims(session, changes);
  count(slice, changes, lanes, counts);
  const indexes = new Map(added.map(({ task }, index) => [task.id, index]));
  return (id) => (id < newIdsFrom ? id : ids()[indexes.get(id)!]!);
}

type LanesByKey = ReadonlyMap<string, PostgresLaneRow>;

/** The lanes of all new tasks. Creates those that do not exist. */
async function ensureLanes(
  session: PostgresSession,
  slice: LockedSlice,
  added: readonly NewRow[],
): Promise<LanesByKey> {
  const lanes = new Map(slice.lanes);
  const wanted = new Map<string, Task>();
  for (const { task } of added) if (!lanes.has(laneKey(task))) wanted.set(laneKey(task), task);
  if (wanted.size === 0) return lanes;

  const scopes = new Map(slice.scopes);
  const missing = new Map<string, Task>();
  for (const task of wanted.values()) {
    if (!scopes.has(scopeKey(task))) missing.set(scopeKey(task), task);
  }
  const newScopes = [...missing.values()];
  const made = await session.query<{ id: number; job: string; gate: string }>(
    `insert into @scope (job, gate)
     select * from unnest($1::text[], $2::text[]) as u (job, gate)
     order by job collate "C", gate collate "C" returning id, job, gate`,
    [newScopes.map(({ job }) => job), newScopes.map(({ gate }) => gate)],
  );
  for (const scope of made) scopes.set(scopeKey(scope), scope.id);

  const newLanes = [...wanted.values()];
  const open = (gate: string) => gate === "" || isGateOpen(slice, gate);
  const created = await session.query<PostgresLaneRow>(
    `insert into @lane (scope, kind, job, gate, is_open, is_ready, top, head)
     select scope, kind, job, gate, is_open, false, 0, 0
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bool[])
       as u (scope, kind, job, gate, is_open)
     order by job collate "C", gate collate "C", kind collate "C"
     returning id, scope, kind, job, gate`,
    [
      newLanes.map((task) => scopes.get(scopeKey(task))),
      newLanes.map(({ kind }) => kind),
      newLanes.map(({ job }) => job),
      newLanes.map(({ gate }) => gate),
      newLanes.map(({ gate }) => open(gate)),
    ],
  );
  for (const lane of created) lanes.set(laneKey(lane), lane);
  return lanes;
}

function isGateOpen({ draft, gates, lockedGates }: LockedSlice, name: string): boolean {
  const gate = draft.gates.get(name);
  assert(gate && (!gates.has(name) || lockedGates.has(name)), "a new lane's gate is locked");
  return isOpen(gate, draft.now.ms);
}

function staleHeads({ tasks, added }: SliceChanges, lanes: LanesByKey): readonly number[] {
  const ids = new Set<number>();
  for (const { from, to, lane, after } of tasks) {
    if (after.gate !== "" && (from === "ready" || to === "ready")) ids.add(lane);
  }
  for (const { task, state } of added) {
    if (task.gate !== "" && state === "ready") ids.add(lanes.get(laneKey(task))!.id);
  }
  return [...ids];
}

function writeClaims(session: PostgresSession, { claims }: SliceChanges): void {
  if (claims.size === 0) return;
  const changed = [...claims].sort(([a], [b]) => a - b);
  const tokens = changed.map(([token]) => token);
  session.send("select 1 from @claim where token = any($1) order by token for update", [tokens]);
  session.send(
    `update @claim c set open = c.open - u.gone, is_open = c.open - u.gone > 0,
       expires_at = least(c.expires_at, u.expires_at)
     from unnest($1::bigint[], $2::int[], $3::bigint[]) as u (token, gone, expires_at)
     where c.token = u.token`,
    [
      tokens,
      changed.map(([, { left }]) => left),
      changed.map(([, { expiresAtMs }]) => expiresAtMs ?? null),
    ],
  );
}

function count(
  { draft, jobs }: LockedSlice,
  { tasks, added }: SliceChanges,
  lanes: LanesByKey,
  counts: Counts,
): void {
  for (const { from, to, lane, after } of tasks) {
    if (from === to) continue;
    counts.move({ id: lane, job: after.job, gate: after.gate }, from, to);
    if (to === "ready" || to === "suspect") counts.readyDue(after.dueAtMs);
  }
  for (const { task, state } of added) {
    counts.move(lanes.get(laneKey(task))!, undefined, state);
    if (state === "ready") counts.readyDue(task.dueAtMs);
  }
  for (const job of draft.jobs.values()) {
    const before = jobs.get(job.name);
    for (const counter of ["slots", "added", "overBudget", "requests"] as const) {
      const by = job[counter] - (before?.[counter] ?? 0);
      if (by !== 0) counts.job(job.name, counter, by);
    }
  }
  counts.raises(draft.raises.raised, draft.raises.unchanged);
}

const jobSettings = [
  "isPaused",
  "isSealed",
  "ended",
  "concurrency",
  "budget",
  "gate",
  "completions",
  "endedAtMs",
] as const;
const isChangedJob = (job: Job, before: Job | undefined) =>
  before !== undefined && jobSettings.some((name) => job[name] !== before[name]);

const isChangedGate = (gate: Gate, before: Gate) =>
  gate.delayMs !== before.delayMs ||
  gate.limit !== before.limit ||
  gate.blockedUntilMs !== before.blockedUntilMs ||
  gate.opensAtMs !== before.opensAtMs ||
  gate.running !== before.running ||
  gate.runSlots !== before.runSlots;

const jobColumns = (jobs: readonly Job[]) => [
  jobs.map(({ name }) => name),
  jobs.map(({ isPaused }) => isPaused),
  jobs.map(({ isSealed }) => isSealed),
  jobs.map(({ ended }) => ended),
  jobs.map(({ concurrency }) => concurrency),
  jobs.map(({ budget }) => budget),
  jobs.map(({ gate }) => gate),
  jobs.map(({ completions }) => completions),
  jobs.map(({ openedAtMs }) => openedAtMs),
  jobs.map(({ endedAtMs }) => endedAtMs),
];
const jobUnnest = `unnest($1::text[], $2::bool[], $3::bool[], $4::text[], $5::int[], $6::int[],
    $7::text[], $8::int[], $9::bigint[], $10::bigint[])
  as u (name, is_paused, is_sealed, ended, concurrency, budget, gate, completions, opened_at,
    ended_at)`;

function insertJobs(session: PostgresSession, jobs: readonly Job[]): void {
  if (jobs.length === 0) return;
  session.send(
    `insert into @job (name, is_paused, is_sealed, ended, has_rest, concurrency, budget, gate,
       completions, opened_at, ended_at)
     select name, is_paused, is_sealed, ended, false, concurrency, budget, gate, completions,
       opened_at, ended_at
     from ${jobUnnest} order by name collate "C"`,
    jobColumns(jobs),
  );
}

function updateJobs(session: PostgresSession, jobs: readonly Job[]): void {
  if (jobs.length === 0) return;
  session.send(
    `update @job j set is_paused = u.is_paused, is_sealed = u.is_sealed, ended = u.ended,
       has_rest = coalesce(u.ended = 'cancelled', false), concurrency = u.concurrency,
       budget = u.budget, gate = u.gate, completions = u.completions, ended_at = u.ended_at
     from ${jobUnnest} where j.name = u.name`,
    jobColumns(jobs),
  );
}

function insertGates(session: PostgresSession, gates: readonly Gate[], nowMs: number): void {
  if (gates.length === 0) return;
  session.send(
    `insert into @gate (name, delay_ms, capacity, blocked_until, opens_at, running, run_slots,
       open_from, has_room, is_open)
     select name, 0, 1, 0, 0, 0, 0, 0, true, true from unnest($1::text[]) as u (name)
     order by name collate "C"`,
    [gates.map(({ name }) => name)],
  );
  writeGates(session, gates, nowMs);
}
