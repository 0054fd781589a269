import type { Job } from "../../job.ts";
import type { ModelNow } from "../../model/now.ts";
import type { KeptKey } from "../../log-entry.ts";
import type { Draft } from "../../model/shard.ts";
import { identityOf } from "../../model/shard.ts";
import type { Task } from "../../task.ts";
import { toGate, type GateRow, type LaneRow } from "./rows.ts";
import { toTask, type TaskRow } from "./task-row.ts";

/**
 * The part of the queue that a transaction is about, read and locked, as the model knows it: the
 * model's own functions work on `draft`, and `writeSlice` writes what became of it.
 *
 * Jobs come with counters of nought, so that what they show afterwards is what has to be added.
 */
export interface Slice {
  readonly draft: Draft;
  readonly rows: ReadonlyMap<number, TaskRow>;
  readonly tasks: ReadonlyMap<number, Task>;
  readonly gates: ReadonlyMap<string, GateRow>;
  readonly jobs: ReadonlyMap<string, Job>;
  /** By `laneName`. */
  readonly lanes: ReadonlyMap<string, LaneRow>;
  /** By `scopeName`. */
  readonly scopes: ReadonlyMap<string, number>;
  /** Gates that may be written. */
  readonly lockedGates: ReadonlySet<string>;
}

export interface SliceParts {
  readonly now: ModelNow;
  readonly rows?: readonly TaskRow[];
  readonly gates?: readonly GateRow[];
  readonly jobs?: readonly Job[];
  readonly lanes?: readonly LaneRow[];
  readonly scopes?: ReadonlyMap<string, number>;
  readonly lockedGates?: ReadonlySet<string>;
  /** Those of the keys that are to be added. */
  readonly keptKeys?: ReadonlyMap<string, KeptKey>;
}

/** New tasks get their ids when they are written; until then these, in order. */
export const newIdsFrom = 2 ** 51;

export function createSlice(parts: SliceParts): Slice {
  const { now, rows = [], gates = [], jobs = [], lanes = [] } = parts;
  const tasks = new Map(rows.map((row) => [row.id, toTask(row)]));
  const gatesByName = new Map(gates.map((gate) => [gate.name, gate]));
  const jobsByName = new Map(jobs.map((job) => [job.name, job]));
  const claims = new Map<number, never>();
  for (const { state, token } of tasks.values()) {
    if (state === "running") claims.set(token, noClaim as never);
  }
  return {
    draft: {
      now,
      ownJobs: new Set(),
      ownIdentities: undefined,
      tasks: new Map(tasks),
      idsByIdentity: new Map([...tasks.values()].map((task) => [identityOf(task), task.id])),
      gates: new Map([...gatesByName].map(([name, gate]) => [name, toGate(gate)])),
      jobs: new Map(jobsByName),
      claims,
      waits: new Map(),
      raises: { raised: 0, unchanged: 0 },
      log: new Map(),
      keptKeys: parts.keptKeys ?? new Map(),
      nextId: newIdsFrom,
      lastToken: 0,
      served: 0,
      liveTasksMax: Infinity,
    },
    rows: new Map(rows.map((row) => [row.id, row])),
    tasks,
    gates: gatesByName,
    jobs: jobsByName,
    lanes: new Map(lanes.map((lane) => [laneName(lane), lane])),
    scopes: parts.scopes ?? new Map(),
    lockedGates: parts.lockedGates ?? new Set(),
  };
}

/** Only what leaves a claim is counted here; the rest of it stays in its row. */
const noClaim = {
  requestId: "",
  worker: "",
  ids: [],
  open: 0,
  hasSuspect: false,
  leaseMs: 0,
  expiresAtMs: 0,
};

export const laneName = ({ kind, job, gate }: Pick<LaneRow, "kind" | "job" | "gate">): string =>
  JSON.stringify([kind, job, gate]);

export const scopeName = ({ job, gate }: Pick<LaneRow, "job" | "gate">): string =>
  JSON.stringify([job, gate]);
