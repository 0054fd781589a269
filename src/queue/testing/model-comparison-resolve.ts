import type { Shard } from "../model/shard.ts";
import type { FinishedFilter, Operation, RaiseOne } from "../operation.ts";
import type { StoreNow } from "../queue-store.ts";
import type { LeaseRef, NewTask } from "../task.ts";
import type { Want } from "./model-comparison-steps.ts";

/** Encoded in the token of a lease in a step: which lease is meant. */
export const leaseHow = {
  /** A lease that a worker holds. */
  held: 0,
  /** Any lease that was ever handed out. */
  past: 1,
  /** The id of a held lease with a token that does not exist. */
  wrong: 2,
} as const;

/** Encoded in the key of a raise: the identity of the n-th existing task. */
export const knownTask = (index: number): string => `#${index}`;

export interface Resolver {
  resolve(wants: readonly Want[], shard: Shard, now: StoreNow): readonly Operation[];
  /** Remembers leases, so that later steps can use them after they are lost. */
  note(leases: readonly LeaseRef[]): void;
}

/** Replaces the encoded parts of operations by real values: see `Step`. */
export function createResolver(): Resolver {
  const sent: Operation[] = [];
  const past: LeaseRef[] = [];
  let requests = 0;

  function leaseOf(shard: Shard, coded: LeaseRef, offset = 0): LeaseRef {
    const running = [...shard.tasks.values()].filter((task) => task.state === "running");
    const from = coded.token === leaseHow.past || running.length === 0 ? past : running;
    const chosen = from[(coded.id + offset) % Math.max(1, from.length)];
    if (!chosen) return { id: 1 + (coded.id % 5), token: 1 };
    return {
      id: chosen.id,
      token: coded.token === leaseHow.wrong ? chosen.token - 1 : chosen.token,
    };
  }

  function real(operation: Operation, shard: Shard, now: StoreNow): Operation {
    // Neighbours in a list refer to different leases, so that whole runs end.
    const withLease = <T extends LeaseRef>(one: T, index: number): T => ({
      ...one,
      ...leaseOf(shard, one, index),
    });
    const raises = (wanted: readonly RaiseOne[]) => wanted.map((one) => identified(one, shard));
    const tasks = (wanted: readonly NewTask[]) => wanted.map((task) => dueFrom(task, now));
    switch (operation.op) {
      case "add":
        return {
          ...operation,
          tasks: tasks(operation.tasks),
          ...(operation.by ? { by: leaseOf(shard, operation.by) } : {}),
        };
      case "claim":
        return operation.requestId === ""
          ? { ...operation, requestId: `r${requests++}` }
          : operation;
      case "extend":
        return { ...operation, leases: operation.leases.map(withLease) };
      case "release":
        return { ...operation, releases: operation.releases.map(withLease) };
      case "finish":
        return {
          ...operation,
          finishes: operation.finishes.map((one, index) => ({
            ...withLease(one, index),
            ...(one.add ? { add: tasks(one.add) } : {}),
            ...(one.raise ? { raise: raises(one.raise) } : {}),
          })),
        };
      case "raise":
        return { ...operation, raises: raises(operation.raises) };
      case "retry":
      case "purge":
      case "forgetKeys":
        return { ...operation, filter: finishedFrom(operation.filter, now) };
      case "pruneLog":
        return { ...operation, finishedBeforeMs: now.ms + operation.finishedBeforeMs };
      case "sweep":
      case "block":
      case "setGate":
      case "openJob":
      case "seal":
      case "pause":
      case "resume":
      case "cancel":
        return operation;
    }
  }

  return {
    resolve: (wants, shard, now) =>
      wants.flatMap((want) => {
        const operation =
          want.op === "again" ? sent[sent.length - 1 - want.back] : real(want, shard, now);
        if (!operation) return [];
        sent.push(operation);
        return [operation];
      }),
    note: (leases) => void past.push(...leases.map(({ id, token }) => ({ id, token }))),
  };
}

function identified(one: RaiseOne, shard: Shard): RaiseOne {
  const tasks = [...shard.tasks.values()];
  const task = one.key.startsWith("#") ? tasks[Number(one.key.slice(1)) % tasks.length] : undefined;
  return task ? { ...one, job: task.job, gate: task.gate, key: task.key } : one;
}

const dueFrom = (task: NewTask, now: StoreNow): NewTask => ({
  ...task,
  dueAtMs: task.dueAtMs === 0 ? 0 : now.wallMs + task.dueAtMs,
});

const finishedFrom = (filter: FinishedFilter, now: StoreNow): FinishedFilter =>
  filter.finishedBeforeMs === undefined
    ? filter
    : { ...filter, finishedBeforeMs: now.ms + filter.finishedBeforeMs };
