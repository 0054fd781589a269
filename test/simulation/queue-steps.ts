import { checkInvariants } from "../../src/queue/testing/model-comparison-invariants.ts";
import type { Operation, Task } from "../../src/queue/index.ts";
import type { LandedHead } from "./queue-heads.ts";
import type { Fail } from "./verdict.ts";

export interface Step {
  readonly before: LandedHead | undefined;
  readonly after: LandedHead;
  readonly operations: readonly Operation[];
}

/**
 * What is true of any two heads in a row, judged by eye and not by the model: so it holds also
 * when the model itself is wrong.
 */
export function createStepChecker(fail: Fail): (step: Step) => void {
  const doneIds = new Set<number>();

  const checkTask = (task: Task, before: Task, ops: ReadonlySet<Operation["op"]>) => {
    const name = `task ${task.id} (${task.key})`;
    if (task.token < before.token) {
      fail(`Q3: the token of ${name} fell from ${before.token} to ${task.token}`);
    }
    const isClaimed = task.state === "running" && before.state !== "running";
    if (isClaimed && task.token === before.token) {
      fail(`Q3: ${name} was claimed, and its token is still ${task.token}`);
    }
    if (before.finishedAtMs > 0 && task.state !== before.state && !ops.has("retry")) {
      fail(`Q2: ${name} was ${before.state}, and became ${task.state}`);
    }
    if (before.state === "done" && task.state !== "done") doneIds.delete(task.id);
    if (task.state !== "done" || before.state === "done") return;
    if (doneIds.has(task.id)) fail(`Q2: ${name} was completed twice`);
    doneIds.add(task.id);
  };

  return ({ before, after, operations }) => {
    const ops = new Set(operations.map(({ op }) => op));
    const identities = new Map<string, number>();
    for (const task of after.full.tasks.values()) {
      const identity = JSON.stringify([task.job, task.gate, task.key]);
      const other = identities.get(identity);
      if (other !== undefined) {
        fail(`Q1: tasks ${other} and ${task.id} both have the key ${task.key}`);
      }
      identities.set(identity, task.id);
      const known = before?.full.tasks.get(task.id);
      if (known && known !== task) checkTask(task, known, ops);
    }
    for (const task of before?.full.tasks.values() ?? []) {
      if (after.full.tasks.has(task.id)) continue;
      const isFinished = task.finishedAtMs > 0 || ops.has("finish");
      if (!ops.has("purge") || !isFinished) {
        fail(`Q1: task ${task.id} (${task.key}) is gone`);
      }
      if (!after.full.log.has(task.id) && !ops.has("pruneLog")) {
        fail(`Q1: task ${task.id} (${task.key}) was purged and is not in the log`);
      }
    }
    for (const id of before?.full.log.keys() ?? []) {
      if (!after.full.log.has(id) && !ops.has("pruneLog")) fail(`Q1: entry ${id} is gone`);
    }
    try {
      checkInvariants(after.shard);
    } catch (error) {
      fail(`Q8: ${(error as Error).message.slice(0, 300)}`);
    }
  };
}
