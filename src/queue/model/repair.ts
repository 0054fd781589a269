import { newGate } from "../gate.ts";
import { newJob } from "../job.ts";
import { isTerminal, type Task } from "../task.ts";
import { leave, noted } from "./leases.ts";
import { countTasks, isOfCompletedJob, isOfNoClaim } from "./recount.ts";
import { closeDraft, openDraft, patchGate, patchJob, putTask } from "./shard.ts";
import type { ModelNow } from "./now.ts";
import type { ShardDraft, Shard } from "./shard.ts";

/**
 * Sets all counters to what the tasks say. Moves orphans to where people can see them, and deletes
 * none. The program itself causes neither: people edit files, and disks fail.
 */
export function repairShard(shard: Shard, now: ModelNow): Shard {
  const draft = openDraft(shard, now);
  giveHomes(draft);
  recountAll(draft);
  endOrphans(draft);
  recountAll(draft);
  return closeDraft(draft);
}

/** Creates missing jobs and gates: their settings are lost, what was done is kept. */
function giveHomes(draft: ShardDraft): void {
  for (const task of draft.tasks.values()) {
    if (task.gate !== "" && !draft.gates.has(task.gate)) {
      draft.gates.set(task.gate, newGate(task.gate));
    }
    if (!draft.jobs.has(task.job)) draft.jobs.set(task.job, jobFrom(draft, task.job));
    if (!isOfNoClaim(draft, task)) continue;
    const own = [...draft.tasks.values()].filter(
      ({ state, token }) => state === "running" && token === task.token,
    );
    // With a claim, they stay leased until their lease ends, and are then swept like others.
    draft.claims.set(task.token, {
      requestId: `orphan-${task.token}`,
      worker: "unknown",
      ids: own.map(({ id }) => id),
      open: own.length,
      hasSuspect: own.some(({ isSuspect }) => isSuspect),
      leaseMs: 0,
      expiresAtMs: Math.min(...own.map(({ expiresAtMs }) => expiresAtMs)),
    });
  }
}

function jobFrom(draft: ShardDraft, name: string) {
  const own = [...draft.tasks.values()].filter(({ job }) => job === name);
  const job = { ...newJob(name, draft.now.ms), added: own.length };
  for (const { state } of own) if (isTerminal(state)) job[state] += 1;
  return job;
}

function endOrphans(draft: ShardDraft): void {
  for (const task of draft.tasks.values()) {
    if (!isOfCompletedJob(draft, task)) continue;
    if (task.state === "running") leave(draft, task, undefined);
    putTask(draft, skipped(task, draft.now.ms));
  }
}

const skipped = (task: Task, atMs: number): Task => ({
  ...task,
  state: "skipped",
  expiresAtMs: 0,
  finishedAtMs: atMs,
  attempts: noted(task, {
    outcome: "cancelled",
    reason: "an orphan: its job had completed",
    atMs,
  }),
});

function recountAll(draft: ShardDraft): void {
  const { gates, jobs, claims } = countTasks(draft);
  for (const [name, counts] of gates) patchGate(draft, name, counts);
  for (const name of draft.jobs.keys()) {
    patchJob(draft, name, jobs.get(name) ?? { pending: 0, running: 0, slots: 0 });
  }
  for (const [token, record] of draft.claims) {
    const open = claims.get(token) ?? 0;
    if (open !== record.open) draft.claims.set(token, { ...record, open });
  }
}
