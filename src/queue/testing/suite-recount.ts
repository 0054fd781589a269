import { expect } from "vitest";
import type { Gate } from "../gate.ts";
import type { Job } from "../job.ts";
import type { Lane, Overview, QueueStore } from "../queue-store.ts";
import type { Task } from "../task.ts";

/** Everything a store counts must be what its tasks say, at any moment. */
export async function expectExactCounters(store: QueueStore): Promise<void> {
  expect(await store.reconcile({ repair: false })).toMatchObject({ drift: [], orphans: 0 });

  const tasks = await allTasks(store);
  const overview = await store.overview();
  expect(byName(overview.lanes)).toEqual(byName(recountLanes(tasks, overview)));
  expect(overview.gates.map(({ name }) => name).sort()).toEqual(
    [...new Set(tasks.map((task) => task.gate))].filter((name) => name !== "").sort(),
  );
  for (const gate of overview.gates) expectExactGate(gate, tasks);
  for (const job of overview.jobs) expectExactJob(job, tasks, overview.gates);
}

async function allTasks(store: QueueStore): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await store.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 10_000 });
    tasks.push(...page);
    if (page.length < 10_000) return tasks;
  }
}

function recountLanes(tasks: readonly Task[], { now }: Overview): readonly Lane[] {
  const groups = new Map<string, Task[]>();
  for (const task of tasks) {
    const name = laneName(task);
    const group = groups.get(name);
    if (group) group.push(task);
    else groups.set(name, [task]);
  }
  return [...groups.values()].map((group) => {
    const { kind, job, gate } = group[0]!;
    const pending = group.filter((task) => task.state === "pending");
    const ready = pending.filter((task) => task.dueAtMs <= now.wallMs);
    const later = pending.filter((task) => task.dueAtMs > now.wallMs);
    const scheduled = later.filter((task) => task.attempts.length === 0);
    const backoff = later.filter((task) => task.attempts.length > 0);
    const inState = (state: Task["state"]) => group.filter((task) => task.state === state).length;
    return {
      kind,
      job,
      gate,
      ready: ready.length,
      scheduled: scheduled.length,
      backoff: backoff.length,
      running: inState("running"),
      done: inState("done"),
      skipped: inState("skipped"),
      failed: inState("failed"),
      oldestReadyAtMs: oldestAtMs(ready),
      oldestScheduledAtMs: oldestAtMs(scheduled),
      oldestBackoffAtMs: oldestAtMs(backoff),
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
  // A run is tasks of one lane.
  expect(new Set(running.map(laneName)).size).toBe(1);
}

function expectExactJob(job: Job, tasks: readonly Task[], gates: readonly Gate[]): void {
  const own = tasks.filter((task) => task.job === job.name);
  const inState = (state: Task["state"]) => own.filter((task) => task.state === state).length;
  expect(job).toMatchObject({
    pending: inState("pending"),
    running: inState("running"),
    slots: slotsOf(own, gates),
  });
  // What was purged stays counted, so the sum is what was ever stored.
  expect(job.pending + job.running + job.done + job.skipped + job.failed).toBe(job.added);
  for (const state of ["done", "skipped", "failed"] as const) {
    expect(job[state]).toBeGreaterThanOrEqual(inState(state));
  }
}

/** A run counts as many as it may have at work at once, anything else one for each task. */
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

const laneName = ({ kind, job, gate }: Pick<Lane, "kind" | "job" | "gate">) =>
  JSON.stringify([kind, job, gate]);

const byName = (lanes: readonly Lane[]) =>
  [...lanes].sort((a, b) => (laneName(a) < laneName(b) ? -1 : 1));
