import { assert } from "../../../base/app-error.ts";
import { isOpen, type Gate } from "../../gate.ts";
import type { Job } from "../../job.ts";
import type { Task } from "../../task.ts";
import type { Counts } from "./counts.ts";
import type { Session } from "./database.ts";
import { insertTasks, updateTasks, type ChangedTask } from "./task-writes.ts";
import { writeGates, writeHeads, type LaneRow } from "./rows.ts";
import { laneName, newIdsFrom, scopeName, type Slice } from "./slice.ts";
import { rowState, stateName } from "./task-row.ts";

/**
 * Writes all that the model changed in the slice, except counters, which `counts` collects. Resolves
 * to a function from a provisional id to the id in the database; call it after the commit.
 */
export async function writeSlice(
  session: Session,
  slice: Slice,
  counts: Counts,
): Promise<(provisional: number) => number> {
  const { draft, jobs, gates, lockedGates } = slice;
  insertJobs(
    session,
    [...draft.jobs.values()].filter(({ name }) => !jobs.has(name)),
  );
  updateJobs(
    session,
    [...draft.jobs.values()].filter((job) => isChangedJob(job, jobs.get(job.name))),
  );
  insertGates(
    session,
    [...draft.gates.values()].filter(({ name }) => !gates.has(name)),
    draft.now.ms,
  );
  const added = [...draft.tasks.values()].filter(({ id }) => id >= newIdsFrom);
  const lanes = await ensureLanes(session, slice, added);
  const changed = changedTasks(slice, lanes);
  updateTasks(session, changed);
  const ids = insertTasks(session, added, lanes, draft.now);

  const changedGates = [...draft.gates.values()].filter((gate) => {
    const before = gates.get(gate.name);
    if (!before || !lockedGates.has(gate.name)) return false;
    return isChangedGate(gate, before) || isOpen(gate, draft.now.ms) !== before.wasOpen;
  });
  writeGates(session, changedGates, draft.now.ms);
  writeHeads(session, staleHeads(changed, added, lanes, draft.now.wallMs));
  writeClaims(session, slice, changed);
  count(slice, changed, added, lanes, counts);
  const places = new Map(added.map(({ id }, place) => [id, place]));
  return (id) => (id < newIdsFrom ? id : ids()[places.get(id)!]!);
}

function changedTasks({ draft, tasks, rows }: Slice, lanes: LanesByName): readonly ChangedTask[] {
  const changed: ChangedTask[] = [];
  for (const [id, before] of tasks) {
    const after = draft.tasks.get(id);
    if (!after || after === before) continue;
    const from = stateName(rows.get(id)!.state);
    const isMoved =
      after.state !== before.state ||
      after.dueAtMs !== before.dueAtMs ||
      after.attempts !== before.attempts;
    const to = isMoved ? rowState(after, draft.now.wallMs) : from;
    changed.push({ before, after, from, to, lane: lanes.get(laneName(after))! });
  }
  return changed;
}

type LanesByName = ReadonlyMap<string, LaneRow>;

/** All lanes that tasks of the slice are in, made where they are new. */
async function ensureLanes(
  session: Session,
  slice: Slice,
  added: readonly Task[],
): Promise<LanesByName> {
  const lanes = new Map(slice.lanes);
  for (const { lane, kind, job, gate } of slice.rows.values()) {
    const name = laneName({ kind, job, gate });
    if (!lanes.has(name)) lanes.set(name, { id: lane, kind, job, gate, scope: 0 });
  }
  const wanted = new Map<string, Task>();
  for (const task of added) if (!lanes.has(laneName(task))) wanted.set(laneName(task), task);
  if (wanted.size === 0) return lanes;

  const scopes = new Map(slice.scopes);
  const missing = new Map<string, Task>();
  for (const task of wanted.values()) {
    if (!scopes.has(scopeName(task))) missing.set(scopeName(task), task);
  }
  const newScopes = [...missing.values()];
  const made = await session.query<{ id: number; job: string; gate: string }>(
    `insert into @scope (job, gate)
     select * from unnest($1::text[], $2::text[]) as u (job, gate)
     order by job collate "C", gate collate "C" returning id, job, gate`,
    [newScopes.map(({ job }) => job), newScopes.map(({ gate }) => gate)],
  );
  for (const scope of made) scopes.set(scopeName(scope), scope.id);

  const newLanes = [...wanted.values()];
  const open = (gate: string) => gate === "" || isGateOpen(slice, gate);
  const created = await session.query<LaneRow>(
    `insert into @lane (scope, kind, job, gate, is_open, is_ready, top, head)
     select scope, kind, job, gate, is_open, false, 0, 0
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bool[])
       as u (scope, kind, job, gate, is_open)
     order by job collate "C", gate collate "C", kind collate "C"
     returning id, scope, kind, job, gate`,
    [
      newLanes.map((task) => scopes.get(scopeName(task))),
      newLanes.map(({ kind }) => kind),
      newLanes.map(({ job }) => job),
      newLanes.map(({ gate }) => gate),
      newLanes.map(({ gate }) => open(gate)),
    ],
  );
  for (const lane of created) lanes.set(laneName(lane), lane);
  return lanes;
}

function isGateOpen({ draft, gates, lockedGates }: Slice, name: string): boolean {
  const gate = draft.gates.get(name);
  assert(gate && (!gates.has(name) || lockedGates.has(name)), "a new lane's gate is locked");
  return isOpen(gate, draft.now.ms);
}

function staleHeads(
  changed: readonly ChangedTask[],
  added: readonly Task[],
  lanes: LanesByName,
  wallMs: number,
): readonly number[] {
  const ids = new Set<number>();
  for (const { from, to, lane } of changed) {
    if (lane.gate !== "" && (from === "ready" || to === "ready")) ids.add(lane.id);
  }
  for (const task of added) {
    if (task.gate === "" || rowState(task, wallMs) !== "ready") continue;
    ids.add(lanes.get(laneName(task))!.id);
  }
  return [...ids];
}

/** What left each claim, and leases that end sooner than before: the sweep must not come late. */
function writeClaims(session: Session, { draft }: Slice, changed: readonly ChangedTask[]): void {
  const ends = new Map<number, number>();
  for (const { after } of changed) {
    if (after.state !== "running") continue;
    ends.set(after.token, Math.min(after.expiresAtMs, ends.get(after.token) ?? Infinity));
  }
  const left = [...draft.claims].filter(([token, { open }]) => open !== 0 || ends.has(token));
  if (left.length === 0) return;
  left.sort(([a], [b]) => a - b);
  session.send("select 1 from @claim where token = any($1) order by token for update", [
    left.map(([token]) => token),
  ]);
  session.send(
    `update @claim c set open = c.open + u.open, is_open = c.open + u.open > 0,
       expires_at = least(c.expires_at, u.expires_at)
     from unnest($1::bigint[], $2::int[], $3::bigint[]) as u (token, open, expires_at)
     where c.token = u.token`,
    [
      left.map(([token]) => token),
      left.map(([, { open }]) => open),
      left.map(([token]) => ends.get(token) ?? null),
    ],
  );
}

function count(
  { draft, jobs }: Slice,
  changed: readonly ChangedTask[],
  added: readonly Task[],
  lanes: LanesByName,
  counts: Counts,
): void {
  for (const { from, to, lane, after } of changed) {
    if (from === to) continue;
    counts.move(lane, from, to);
    if (to === "ready" || to === "suspect") counts.readyDue(after.dueAtMs);
  }
  for (const task of added) {
    const state = rowState(task, draft.now.wallMs);
    counts.move(lanes.get(laneName(task))!, undefined, state);
    if (state === "ready") counts.readyDue(task.dueAtMs);
  }
  for (const job of draft.jobs.values()) {
    const before = jobs.get(job.name);
    for (const counter of ["slots", "added", "overBudget"] as const) {
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

function insertJobs(session: Session, jobs: readonly Job[]): void {
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

function updateJobs(session: Session, jobs: readonly Job[]): void {
  if (jobs.length === 0) return;
  session.send(
    `update @job j set is_paused = u.is_paused, is_sealed = u.is_sealed, ended = u.ended,
       has_rest = coalesce(u.ended = 'cancelled', false), concurrency = u.concurrency,
       budget = u.budget, gate = u.gate, completions = u.completions, ended_at = u.ended_at
     from ${jobUnnest} where j.name = u.name`,
    jobColumns(jobs),
  );
}

function insertGates(session: Session, gates: readonly Gate[], nowMs: number): void {
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
