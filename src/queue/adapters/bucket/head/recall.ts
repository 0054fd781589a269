import { identityOf, type Shard } from "../../../model/shard.ts";
import type { Operation } from "../../../operation.ts";
import type { Identity, NewTask, Task } from "../../../task.ts";
import type { Log } from "../log/archive.ts";

/** The archived tasks that operations refer to: the model must see these, and needs no others. */
export interface Concerned {
  readonly all: boolean;
  readonly ids: ReadonlySet<number>;
  readonly identities: ReadonlySet<string>;
}

/** Undefined if the head alone is enough, as for claims, extensions and finishes. */
export function concernedBy(shard: Shard, operations: readonly Operation[]): Concerned | undefined {
  const ids = new Set<number>();
  const identities = new Set<string>();
  const gateOf = bindings(shard, operations);
  const about = (one: Identity) => {
    // An earlier operation of this commit may bind the job to a gate, so check both gates.
    for (const gate of new Set([one.gate, gateOf(one)])) {
      const identity = identityOf({ ...one, gate });
      if (!shard.idsByIdentity.has(identity)) identities.add(identity);
    }
  };
  let all = false;
  for (const operation of operations) {
    if (operation.op === "add") operation.tasks.forEach(about);
    else if (operation.op === "raise") operation.raises.forEach(about);
    else if (operation.op === "retry" || operation.op === "purge") all = true;
    else if (operation.op === "finish") {
      for (const { id, add = [], raise = [] } of operation.finishes) {
        if (!shard.tasks.has(id)) ids.add(id);
        add.forEach(about);
        raise.forEach(about);
      }
    }
  }
  return all || ids.size + identities.size > 0 ? { all, ids, identities } : undefined;
}

function bindings(shard: Shard, operations: readonly Operation[]) {
  const gates = new Map<string, string>();
  for (const operation of operations) {
    if (operation.op === "openJob") gates.set(operation.job, operation.gate);
  }
  return ({ job, gate }: Pick<NewTask, "job" | "gate">): string => {
    const bound = gates.get(job) || (shard.jobs.get(job)?.gate ?? "");
    return bound === "" ? gate : bound;
  };
}

export function findConcerned(logs: readonly Log[], concerned: Concerned): readonly Task[] {
  const found = new Map<number, Task>();
  for (const log of logs) {
    if (concerned.all) {
      for (const task of log.tasksById.values()) found.set(task.id, task);
      continue;
    }
    const hits = [...concerned.identities].map((identity) => log.idsByIdentity.get(identity) ?? 0);
    for (const id of [...concerned.ids, ...hits]) {
      const task = log.tasksById.get(id);
      if (task) found.set(id, task);
    }
  }
  return [...found.values()];
}

/** The shard with archived tasks back in it, as if they had never been archived. */
export function withTasks(shard: Shard, tasks: readonly Task[]): Shard {
  if (tasks.length === 0) return shard;
  return {
    ...shard,
    tasks: new Map([...shard.tasks, ...tasks.map((task) => [task.id, task] as const)]),
    idsByIdentity: new Map([
      ...shard.idsByIdentity,
      ...tasks.map((task) => [identityOf(task), task.id] as const),
    ]),
  };
}

/** The shard without these tasks. */
export function withoutTasks(shard: Shard, tasks: readonly Task[]): Shard {
  if (tasks.length === 0) return shard;
  const left = { tasks: new Map(shard.tasks), idsByIdentity: new Map(shard.idsByIdentity) };
  for (const task of tasks) {
    left.tasks.delete(task.id);
    left.idsByIdentity.delete(identityOf(task));
  }
  return { ...shard, ...left };
}
