import type { Gate } from "../gate.ts";
import type { Job } from "../job.ts";
import type { KeptKey } from "../read/log-entry.ts";
import type { ModelNow } from "../model/now.ts";
import { identityOf, type ClaimRecord, type ShardDraft } from "../model/shard.ts";
import type { Task } from "../task.ts";
import { toTask, type TaskRow } from "./task-row.ts";

/**
 * The part of a queue that one operation needs. A SQL store loads it, lets the model apply the
 * operation to `draft`, and writes what changed, see ./changes.ts. So the rules exist only once, in
 * the model. Invariants:
 * - the slice has all tasks that the operation may read or change, and no rule of the operation
 *   depends on a task outside;
 * - a claim in a slice counts only the tasks that leave it; its other tasks are only in its row.
 */
export interface Slice<G extends Gate = Gate> {
  readonly draft: ShardDraft;
  /** The rows as they were loaded. */
  readonly rows: ReadonlyMap<number, TaskRow>;
  readonly tasks: ReadonlyMap<number, Task>;
  readonly gates: ReadonlyMap<string, G>;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly keptKeys: ReadonlyMap<string, KeptKey>;
}

export interface SliceParts<G extends Gate = Gate> {
  readonly now: ModelNow;
  readonly rows?: readonly TaskRow[];
  readonly gates?: readonly G[];
  readonly jobs?: readonly Job[];
  /** Reserved keys among the keys that are to be added. */
  readonly keptKeys?: ReadonlyMap<string, KeptKey>;
  /** The id of the next new task. Absent: the store assigns ids when it writes. */
  readonly nextId?: number;
}

/** Provisional ids of new tasks, in order, for a store that assigns ids when it writes. */
export const newIdsFrom = 2 ** 51;

export function createSlice<G extends Gate>(parts: SliceParts<G>): Slice<G> {
  const { now, rows = [], gates = [], jobs = [], keptKeys = new Map<string, KeptKey>() } = parts;
  const tasks = new Map(rows.map((row) => [row.id, toTask(row)]));
  const gatesByName = new Map(gates.map((gate) => [gate.name, gate]));
  const jobsByName = new Map(jobs.map((job) => [job.name, job]));
  const claims = new Map<number, ClaimRecord>();
  for (const { state, token } of tasks.values())
    if (state === "running") claims.set(token, noClaim);
  return {
    draft: {
      now,
      ownJobs: new Set(),
      ownIdentities: undefined,
      tasks: new Map(tasks),
      idsByIdentity: new Map([...tasks.values()].map((task) => [identityOf(task), task.id])),
      gates: new Map(gatesByName),
      jobs: new Map(jobsByName),
      claims,
      waits: new Map(),
      raises: { raised: 0, unchanged: 0 },
      log: new Map(),
      keptKeys,
      nextId: parts.nextId ?? newIdsFrom,
      lastToken: 0,
      served: 0,
      liveTasksMax: Infinity,
    },
    rows: new Map(rows.map((row) => [row.id, row])),
    tasks,
    gates: gatesByName,
    jobs: jobsByName,
    keptKeys,
  };
}

const noClaim: ClaimRecord = {
  requestId: "",
  worker: "",
  ids: [],
  open: 0,
  hasSuspect: false,
  leaseMs: 0,
  expiresAtMs: 0,
};
