import type { Job } from "../../../job.ts";
import type { ModelNow } from "../../../model/now.ts";
import { closeDraft, openDraft, patchJob } from "../../../model/shard.ts";
import { skipCancelled } from "../../../model/sweep.ts";
import type { ShardHead } from "../head/head.ts";

/**
 * What the shards of a queue must agree on: the gate that each bound job has, and the states of
 * jobs whose tasks are in several shards. The control is written first, then each shard. A head
 * says which version it has applied, and a node that knows a newer version applies it before
 * anything else. A bound job lives in the shard of its gate; the control has only the gate.
 */
export interface Control {
  /** Rises with every change that shards must apply. */
  readonly version: number;
  readonly jobs: readonly ControlJob[];
}

export type ControlJob = Pick<
  Job,
  "name" | "gate" | "isPaused" | "isSealed" | "ended" | "endedAtMs" | "completions" | "openedAtMs"
>;

export const emptyControl: Control = { version: 0, jobs: [] };

export const newControlJob = (name: string, gate: string, openedAtMs: number): ControlJob => ({
  name,
  gate,
  isPaused: false,
  isSealed: false,
  ended: null,
  endedAtMs: 0,
  completions: 0,
  openedAtMs,
});

export const findControlJob = (control: Control, name: string): ControlJob | undefined =>
  control.jobs.find((job) => job.name === name);

/** The control with some jobs added or changed, or, if the value is `undefined`, removed. */
export function withJobs(
  control: Control,
  changed: ReadonlyMap<string, ControlJob | undefined>,
  { isForShards }: { readonly isForShards: boolean },
): Control {
  if (changed.size === 0) return control;
  const kept = control.jobs.filter(({ name }) => !changed.has(name));
  const made = [...changed.values()].filter((job) => job !== undefined);
  return { version: control.version + (isForShards ? 1 : 0), jobs: [...kept, ...made] };
}

/** The head after applying the known control; the same object if it already had applied it. */
export function applyControl(head: ShardHead, control: Control, now: ModelNow): ShardHead {
  if (head.control >= control.version) return head;
  const draft = openDraft(head.shard, now);
  const free = control.jobs.filter(({ gate }) => gate === "");
  for (const { name, isPaused, isSealed, ended, endedAtMs, completions, openedAtMs } of free) {
    const local = draft.jobs.get(name);
    // A handler that has lost its lease may still have added tasks. These run to their end.
    const isOpenHere = local !== undefined && local.pending + local.running > 0;
    const end = ended === "completed" && isOpenHere ? {} : { ended, endedAtMs };
    patchJob(draft, name, { isPaused, isSealed, completions, openedAtMs, ...end });
  }
  const names = new Set(free.map(({ name }) => name));
  for (const job of draft.jobs.values()) {
    const isForgotten = job.gate === "" && job.ended !== null && !names.has(job.name);
    if (isForgotten && job.pending + job.running === 0) draft.jobs.delete(job.name);
  }
  skipCancelled(draft);
  return { ...head, shard: closeDraft(draft), control: control.version };
}
