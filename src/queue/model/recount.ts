import { newGate, type Gate } from "../gate.ts";
import { newJob, type Job } from "../job.ts";
import { laneKey } from "../lane.ts";
import type { CounterDrift, Reconciled } from "../queue-store.ts";
import type { Task } from "../task.ts";
import type { Shard } from "./shard.ts";

/** What the counters of a shard must be, according to its tasks. */
export interface TrueCounts {
  readonly gates: ReadonlyMap<string, Pick<Gate, "running" | "runSlots">>;
  readonly jobs: ReadonlyMap<string, Pick<Job, "pending" | "running" | "slots">>;
  /** Tasks in flight, by token. */
  readonly claims: ReadonlyMap<number, number>;
}

/** Compares the counters of jobs, gates and claims with the tasks themselves. */
export function recount(shard: Shard): Reconciled {
  const drift: CounterDrift[] = [];
  const note = (counter: string, counted: number, actual: number) => {
    if (counted !== actual) drift.push({ counter, counted, actual });
  };
  const actual = countTasks(shard);
  for (const { name, running, runSlots } of shard.gates.values()) {
    const gate = actual.gates.get(name) ?? newGate(name);
    note(`gate ${name} running`, running, gate.running);
    note(`gate ${name} runSlots`, runSlots, gate.runSlots);
  }
  for (const { name, pending, running, slots } of shard.jobs.values()) {
    const job = actual.jobs.get(name) ?? newJob(name, 0);
    note(`job ${name} pending`, pending, job.pending);
    note(`job ${name} running`, running, job.running);
    note(`job ${name} slots`, slots, job.slots);
  }
  for (const [token, { open }] of shard.claims) {
    note(`claim ${token} open`, open, actual.claims.get(token) ?? 0);
  }
  let orphans = 0;
  for (const task of shard.tasks.values()) if (isOrphan(shard, task)) orphans += 1;
  return { drift, orphans, repaired: false };
}

/**
 * A task whose job, gate or claim is missing, that waits in an ended job, or that runs without a
 * claim.
 */
const isOrphan = (shard: Shard, task: Task): boolean =>
  !shard.jobs.has(task.job) ||
  (task.gate !== "" && !shard.gates.has(task.gate)) ||
  isOfCompletedJob(shard, task) ||
  isOfNoClaim(shard, task);

export const isOfCompletedJob = (shard: Shard, { job, state }: Task): boolean =>
  (state === "pending" || state === "running") && shard.jobs.get(job)?.ended === "completed";

export const isOfNoClaim = (shard: Shard, { token, state }: Task): boolean =>
  state === "running" && !shard.claims.has(token);

export function countTasks(shard: Shard): TrueCounts {
  const running = new Map<string, number>();
  const claims = new Map<number, number>();
  const lanes = new Map<string, { readonly task: Task; count: number }>();
  const jobs = new Map<string, { pending: number; running: number; slots: number }>();
  for (const task of shard.tasks.values()) {
    const job = jobs.get(task.job) ?? { pending: 0, running: 0, slots: 0 };
    jobs.set(task.job, job);
    if (task.state === "pending") job.pending += 1;
    if (task.state !== "running") continue;
    job.running += 1;
    claims.set(task.token, (claims.get(task.token) ?? 0) + 1);
    if (task.gate !== "") running.set(task.gate, (running.get(task.gate) ?? 0) + 1);
    const name = laneKey(task);
    const lane = lanes.get(name) ?? { task, count: 0 };
    lanes.set(name, lane);
    lane.count += 1;
  }
  const gates = new Map<string, { running: number; runSlots: number }>();
  for (const { name, runSlots } of shard.gates.values()) {
    const count = running.get(name) ?? 0;
    gates.set(name, { running: count, runSlots: count === 0 ? 0 : runSlots });
  }
  // A run counts as many slots as it may run tasks at once.
  for (const { task, count } of lanes.values()) {
    const runSlots = gates.get(task.gate)?.runSlots ?? 0;
    jobs.get(task.job)!.slots += runSlots > 0 ? Math.min(runSlots, count) : count;
  }
  return { gates, jobs, claims };
}
