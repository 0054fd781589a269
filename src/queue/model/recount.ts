import { newGate, type Gate } from "../gate.ts";
import { newJob, type Job } from "../job.ts";
import type { Drift, Reconciled } from "../queue-store.ts";
import type { Shard } from "./shard.ts";

/** Compares the counters of jobs and gates with the tasks themselves. */
export function recount(shard: Shard): Reconciled {
  const drift: Drift[] = [];
  const note = (counter: string, counted: number, actual: number) => {
    if (counted !== actual) drift.push({ counter, counted, actual });
  };
  const gates = new Map<string, Gate>();
  const jobs = new Map<string, Job>();
  let orphans = 0;
  for (const task of shard.tasks.values()) {
    const job = jobs.get(task.job) ?? newJob(task.job, 0);
    jobs.set(task.job, { ...job, [task.state]: job[task.state] + 1 });
    if (task.state !== "pending" && task.state !== "running") continue;
    if (shard.jobs.get(task.job)?.ended === "completed") orphans += 1;
    if (task.state !== "running") continue;
    if (!shard.claims.has(task.token)) orphans += 1;
    if (task.gate === "") continue;
    const gate = gates.get(task.gate) ?? newGate(task.gate);
    gates.set(task.gate, { ...gate, running: gate.running + 1 });
  }
  for (const gate of shard.gates.values()) {
    note(`gate ${gate.name} running`, gate.running, gates.get(gate.name)?.running ?? 0);
  }
  for (const job of shard.jobs.values()) {
    const actual = jobs.get(job.name) ?? newJob(job.name, 0);
    note(`job ${job.name} pending`, job.pending, actual.pending);
    note(`job ${job.name} running`, job.running, actual.running);
  }
  return { drift, orphans, repaired: false };
}
