import { expect } from "vitest";
import { countJobs, type KindCounts, type QueueCounts, type ReasonCount } from "../read/counts.ts";
import { openFromMs, type Gate } from "../gate.ts";
import type { Job } from "../job.ts";
import { laneKey } from "../lane.ts";
import { compareNames } from "../names.ts";
import type { QueueStore } from "../queue-store.ts";
import type { Task } from "../task.ts";
import { waitingReason, waitingReasons } from "../waiting.ts";

/** All counters of a store must equal what its tasks say, at any time. */
export async function expectExactCounters(store: QueueStore): Promise<void> {
  expect(await store.reconcile({ repair: false })).toMatchObject({ drift: [], orphans: 0 });

  const tasks = await allTasks(store);
  const seen = await readAll(store);
  const { counts, gates, jobs } = seen;
  expect(byKind(counts.kinds)).toEqual(recountKinds(tasks, seen));
  expect(counts.lanes).toBe(new Set(tasks.map(laneKey)).size);
  expect(gates.map(({ name }) => name)).toEqual(
    [...new Set(tasks.map((task) => task.gate))].filter((name) => name !== "").sort(compareNames),
  );
  expect(counts.gates).toBe(gates.length);
  expect(counts.jobs).toEqual(countJobs(jobs));
  for (const gate of gates) expectExactGate(gate, tasks);
  for (const job of jobs) expectExactJob(job, tasks, gates);
}

interface ReadAll {
  readonly counts: QueueCounts;
  readonly jobs: readonly Job[];
  readonly gates: readonly Gate[];
}

/** Reads everything that a store counts. */
export async function readAll(store: QueueStore): Promise<ReadAll> {
  const page = { after: "", limit: 10_000 };
  return {
    counts: await store.counts(),
    jobs: await store.jobs(page),
    gates: await store.gates(page),
  };
}

async function allTasks(store: QueueStore): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await store.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 10_000 });
    tasks.push(...page);
    if (page.length < 10_000) return tasks;
  }
}

/** By kind, over all shards. */
function byKind(kinds: readonly KindCounts[]) {
  const merged = new Map<string, Omit<KindCounts, "shard">>();
  for (const { shard: _shard, ...one } of kinds) {
    const known = merged.get(one.kind);
    merged.set(one.kind, known ? joined(known, one) : { ...one, reasons: inOrder(one.reasons) });
  }
  return [...merged.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

type Kind = Omit<KindCounts, "shard">;

function joined(a: Kind, b: Kind): Kind {
  const since = [a.claimableSinceMs, b.claimableSinceMs].filter((at) => at > 0);
  return {
    kind: a.kind,
    pending: a.pending + b.pending,
    running: a.running + b.running,
    done: a.done + b.done,
    skipped: a.skipped + b.skipped,
    failed: a.failed + b.failed,
    reasons: inOrder([...a.reasons, ...b.reasons]),
    claimableSinceMs: since.length === 0 ? 0 : Math.min(...since),
  };
}

/** One entry for each reason, in a fixed order. */
function inOrder(reasons: readonly ReasonCount[]): readonly ReasonCount[] {
  return waitingReasons.flatMap((reason) => {
    const own = reasons.filter((one) => one.reason === reason);
    if (own.length === 0) return [];
    const count = own.reduce((total, one) => total + one.count, 0);
    return [{ reason, count, oldestAtMs: Math.min(...own.map((one) => one.oldestAtMs)) }];
  });
}

/** Determines for each single task why it waits. */
function recountKinds(tasks: readonly Task[], { counts, jobs, gates }: ReadAll): readonly Kind[] {
  const kinds = [...new Set(tasks.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => {
    const own = tasks.filter((task) => task.kind === kind);
    const inState = (state: Task["state"]) => own.filter((task) => task.state === state);
    const reasonOf = (task: Task) =>
      waitingReason(
        task,
        gates.find(({ name }) => name === task.gate),
        jobs.find(({ name }) => name === task.job)!,
        counts.now,
      ).reason;
    const waiting = inState("pending").map((task) => ({ task, reason: reasonOf(task) }));
    const claimable = waiting.filter(({ reason }) => reason === "worker_capacity");
    const sinceOf = (key: string) => {
      const lane = claimable.map(({ task }) => task).filter((task) => laneKey(task) === key);
      const gate = gates.find(({ name }) => name === lane[0]!.gate);
      return Math.max(oldestAtMs(lane), gate ? openFromMs(gate) : 0);
    };
    const sinces = [...new Set(claimable.map(({ task }) => laneKey(task)))].map(sinceOf);
    return {
      kind,
      pending: inState("pending").length,
      running: inState("running").length,
      done: inState("done").length,
      skipped: inState("skipped").length,
      failed: inState("failed").length,
      reasons: inOrder(
        waiting.map(({ task, reason }) => ({ reason, count: 1, oldestAtMs: task.createdAtMs })),
      ),
      claimableSinceMs: sinces.length === 0 ? 0 : Math.min(...sinces),
    };
  });
}

function expectExactGate(gate: Gate, tasks: readonly Task[]): void {
  const running = runningOf(tasks, gate.name);
  expect({ gate: gate.name, running: gate.running }).toEqual({
    gate: gate.name,
    running: running.length,
  });
  if (gate.runSlots === 0) return;
  // All tasks of a run are of one lane.
  expect(new Set(running.map(laneKey)).size).toBe(1);
}

function expectExactJob(job: Job, tasks: readonly Task[], gates: readonly Gate[]): void {
  const own = tasks.filter((task) => task.job === job.name);
  const inState = (state: Task["state"]) => own.filter((task) => task.state === state).length;
  expect(job).toMatchObject({
    pending: inState("pending"),
    running: inState("running"),
    slots: slotsOf(own, gates),
  });
  // Purged tasks are still counted, so the sum is the number of tasks ever added.
  expect(job.pending + job.running + job.done + job.skipped + job.failed).toBe(job.added);
  for (const state of ["done", "skipped", "failed"] as const) {
    expect(job[state]).toBeGreaterThanOrEqual(inState(state));
  }
}

/** A run counts as many slots as it may run tasks at once; any other task counts one. */
function slotsOf(own: readonly Task[], gates: readonly Gate[]): number {
  const runs = gates.filter((gate) => gate.runSlots > 0);
  const inRuns = runs.map((gate) => Math.min(gate.runSlots, runningOf(own, gate.name).length));
  const names = new Set(runs.map((gate) => gate.name));
  const others = own.filter((task) => task.state === "running" && !names.has(task.gate));
  return others.length + inRuns.reduce((sum, slots) => sum + slots, 0);
}

const runningOf = (tasks: readonly Task[], gate: string) =>
  tasks.filter((task) => task.state === "running" && task.gate === gate);

const oldestAtMs = (tasks: readonly Task[]) =>
  tasks.length === 0 ? 0 : Math.min(...tasks.map((task) => task.createdAtMs));
