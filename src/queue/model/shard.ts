import { newGate, type Gate } from "../gate.ts";
import { completion, newJob, type Job } from "../job.ts";
import type { KeptKey, LogEntry } from "../read/log-entry.ts";
import type { Identity, Task } from "../task.ts";
import type { ModelNow } from "./now.ts";

/**
 * The complete state of a queue as plain data. Tasks, gates, jobs and claims are only replaced,
 * never changed in place, and the maps of a returned shard never change. So a shard can be kept,
 * compared and written, and `apply` is a pure function.
 */
export interface Shard {
  readonly tasks: ReadonlyMap<number, Task>;
  readonly idsByIdentity: ReadonlyMap<string, number>;
  readonly gates: ReadonlyMap<string, Gate>;
  readonly jobs: ReadonlyMap<string, Job>;
  /** By token, which identifies the claim. */
  readonly claims: ReadonlyMap<number, ClaimRecord>;
  readonly waits: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly raises: { readonly raised: number; readonly unchanged: number };
  /** Archived tasks, by id. */
  readonly log: ReadonlyMap<number, LogEntry>;
  /** Reserved keys of archived tasks, by identity. */
  readonly keptKeys: ReadonlyMap<string, KeptKey>;
  readonly nextId: number;
  readonly lastToken: number;
  /**
   * The number of picks so far. `job.served` is this number at the last pick of the job, so of equal
   * jobs the one with the lowest value comes next.
   */
  readonly served: number;
  /** With more live tasks, `add` answers `full`. */
  readonly liveTasksMax: number;
  /**
   * The distance between two ids; default: 1. With N shards it is N, so that no two shards use the
   * same id.
   */
  readonly idStep?: number;
  /**
   * True for one of several shards: jobs that are not bound to a gate have tasks in other shards
   * too.
   */
  readonly isSpread?: boolean;
}

/** True if this shard alone decides about a job, because no other shard can have tasks of it. */
export const ownsJob = ({ isSpread }: Pick<Shard, "isSpread">, job: Pick<Job, "gate">): boolean =>
  isSpread !== true || job.gate !== "";

/**
 * One claim that leased something. Kept while it is needed: to repeat its answer, or to know what a
 * worker holds.
 */
export interface ClaimRecord {
  readonly requestId: string;
  readonly worker: string;
  readonly ids: readonly number[];
  /** The number of its tasks that are still running. */
  readonly open: number;
  readonly hasSuspect: boolean;
  readonly leaseMs: number;
  /** Until then, a repeat of the request gets the same answer. */
  readonly expiresAtMs: number;
}

export const emptyShard = (options: { readonly liveTasksMax?: number } = {}): Shard => ({
  tasks: new Map(),
  idsByIdentity: new Map(),
  gates: new Map(),
  jobs: new Map(),
  claims: new Map(),
  waits: new Map(),
  raises: { raised: 0, unchanged: 0 },
  log: new Map(),
  keptKeys: new Map(),
  nextId: 1,
  lastToken: 0,
  served: 0,
  liveTasksMax: options.liveTasksMax ?? Infinity,
});

/** A shard that is being changed. It has its own maps, so the base shard does not change. */
export interface ShardDraft extends Shard {
  readonly now: ModelNow;
  /** Jobs that were copied for this draft; only these are changed in place. */
  readonly ownJobs: Set<Job>;
  readonly tasks: Map<number, Task>;
  /** Shared with the base shard until a task is added or purged; most commits do neither. */
  idsByIdentity: ReadonlyMap<string, number>;
  ownIdentities: Map<string, number> | undefined;
  readonly gates: Map<string, Gate>;
  readonly jobs: Map<string, Job>;
  readonly claims: Map<number, ClaimRecord>;
  readonly waits: Map<string, ReadonlyMap<number, number>>;
  raises: { readonly raised: number; readonly unchanged: number };
  /** Shared with the base shard until an operation replaces them. */
  log: ReadonlyMap<number, LogEntry>;
  keptKeys: ReadonlyMap<string, KeptKey>;
  nextId: number;
  lastToken: number;
  served: number;
}

export const openDraft = (shard: Shard, now: ModelNow): ShardDraft => ({
  ...shard,
  now,
  ownJobs: new Set(),
  tasks: new Map(shard.tasks),
  ownIdentities: undefined,
  gates: new Map(shard.gates),
  jobs: new Map(shard.jobs),
  claims: new Map(shard.claims),
  waits: new Map(shard.waits),
});

export function closeDraft(draft: ShardDraft): Shard {
  const { now: _now, ownJobs: _ownJobs, ownIdentities: _ownIdentities, ...shard } = draft;
  return shard;
}

/** The identities of a draft, as a map that may be changed. */
export function ownIdentities(draft: ShardDraft): Map<string, number> {
  draft.ownIdentities ??= new Map(draft.idsByIdentity);
  draft.idsByIdentity = draft.ownIdentities;
  return draft.ownIdentities;
}

/** JSON separates the parts, whatever characters they contain. */
export const identityOf = ({ job, gate, key }: Identity): string =>
  JSON.stringify([job, gate, key]);

export const gateOf = (draft: ShardDraft, task: Pick<Task, "gate">): Gate | undefined =>
  task.gate === "" ? undefined : (draft.gates.get(task.gate) ?? newGate(task.gate));

export const jobOf = (draft: ShardDraft, name: string): Job =>
  draft.jobs.get(name) ?? newJob(name, draft.now.ms);

/** The only place where a task changes: the counters of its job change in the same step. */
export function putTask(draft: ShardDraft, after: Task): void {
  const before = draft.tasks.get(after.id);
  const job = ownJob(draft, after.job);
  if (before) job[before.state] -= 1;
  job[after.state] += 1;
  draft.tasks.set(after.id, after);
  // The identity of a task never changes.
  if (!before) ownIdentities(draft).set(identityOf(after), after.id);
}

export function patchJob(draft: ShardDraft, name: string, patch: Partial<Job>): void {
  Object.assign(ownJob(draft, name), patch);
}

/** One copy per draft: thousands of tasks may change the counters of one job. */
function ownJob(draft: ShardDraft, name: string): { -readonly [Field in keyof Job]: Job[Field] } {
  const job = draft.jobs.get(name);
  if (job && draft.ownJobs.has(job)) return job;
  const own = { ...jobOf(draft, name) };
  draft.ownJobs.add(own);
  draft.jobs.set(name, own);
  return own;
}

export function patchGate(draft: ShardDraft, name: string, patch: Partial<Gate>): void {
  draft.gates.set(name, { ...(draft.gates.get(name) ?? newGate(name)), ...patch });
}

/** The only place where a job completes, so that it completes once. */
export function completeIfDone(draft: ShardDraft): void {
  for (const job of draft.jobs.values()) {
    const completed = completion(job, draft.now.ms);
    if (completed && ownsJob(draft, job)) patchJob(draft, job.name, completed);
  }
}
