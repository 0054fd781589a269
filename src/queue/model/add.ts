import { AppError } from "../../base/app-error.ts";
import { newGate } from "../gate.ts";
import type { Job } from "../job.ts";
import type { Add, Added } from "../operation.ts";
import type { LeaseRef, NewTask, Task } from "../task.ts";
import { countUnchanged, raiseTask } from "./bulk.ts";
import { identityOf, jobOf, patchJob, putTask, type ShardDraft } from "./shard.ts";

export function add(draft: ShardDraft, { tasks, by }: Add): readonly Added[] {
  // A task that another shard adds is written before its finish, and cannot be stored anywhere
  // else.
  const room = isOfOtherShard(draft, by) ? Infinity : draft.liveTasksMax - liveTasks(draft);
  return addAll(draft, { tasks, by, room });
}

/** What a finish adds is stored even if the queue is full, because its caller cannot keep it. */
export function addWithFinish(draft: ShardDraft, tasks: readonly NewTask[], by: LeaseRef): void {
  addAll(draft, { tasks, by, room: Infinity });
}

interface Adding {
  readonly tasks: readonly NewTask[];
  readonly by: LeaseRef | undefined;
  readonly room: number;
}

function addAll(draft: ShardDraft, { tasks, by, ...adding }: Adding): readonly Added[] {
  checkBound((name) => draft.jobs.get(name), tasks);
  let { room } = adding;
  return tasks.map((task) => {
    const answer = addOne(draft, task, by, room > 0);
    if (answer.status === "added") room -= 1;
    return answer;
  });
}

function addOne(
  draft: ShardDraft,
  wanted: NewTask,
  by: LeaseRef | undefined,
  hasRoom: boolean,
): Added {
  const job = jobOf(draft, wanted.job);
  const gate = job.gate === "" ? wanted.gate : job.gate;
  const { key, priority } = wanted;
  const identity = identityOf({ job: job.name, gate, key });
  const known = draft.tasks.get(draft.idsByIdentity.get(identity) ?? 0);
  if (known) {
    raiseTask(draft, known, { priority });
    return { status: "duplicate", id: known.id };
  }
  const kept = draft.keptKeys.get(identity);
  if (kept) {
    countUnchanged(draft);
    return { status: "duplicate", id: kept.id };
  }
  if (job.ended !== null || (job.isSealed && !isOwnTask(draft, by, job.name))) {
    return { status: "closed" };
  }
  if (job.budget !== null && job.added >= job.budget) {
    patchJob(draft, job.name, { overBudget: job.overBudget + 1 });
    return { status: "over_budget" };
  }
  if (!hasRoom) return { status: "full" };

  if (gate !== "" && !draft.gates.has(gate)) draft.gates.set(gate, newGate(gate));
  const id = draft.nextId;
  draft.nextId += draft.idStep ?? 1;
  // All fields in the same order as in stored tasks, because JavaScript engines are faster with
  // objects of one shape.
  putTask(draft, {
    id,
    kind: wanted.kind,
    job: job.name,
    gate,
    key,
    payload: wanted.payload,
    priority,
    dueAtMs: wanted.dueAtMs,
    createdAtMs: draft.now.ms,
    state: "pending",
    token: 0,
    used: 0,
    attemptsMax: wanted.attemptsMax,
    isSuspect: false,
    expiresAtMs: 0,
    attempts: [],
    result: null,
    finishedAtMs: 0,
  });
  patchJob(draft, job.name, { added: job.added + 1 });
  return { status: "added", id };
}

/** Checks before anything is written, so that a refused operation changes nothing. */
export function checkBound(
  jobNamed: (name: string) => Pick<Job, "gate"> | undefined,
  tasks: readonly NewTask[],
): void {
  for (const task of tasks) {
    const gate = jobNamed(task.job)?.gate ?? "";
    if (gate === "" || task.gate === "" || task.gate === gate) continue;
    throw new AppError(
      "invalid",
      "job_bound_to_gate",
      `job "${task.job}" is bound to the gate "${gate}", but task "${task.key}" names the gate ` +
        `"${task.gate}": leave the gate out, or add the task to another job`,
    );
  }
}

/** The sender has checked that the lease is held in its own shard. */
const isOfOtherShard = ({ idStep = 1, nextId }: ShardDraft, by: LeaseRef | undefined): boolean =>
  by !== undefined && by.id % idStep !== nextId % idStep;

function isOwnTask(draft: ShardDraft, by: LeaseRef | undefined, job: string): boolean {
  if (isOfOtherShard(draft, by)) return true;
  const task = by && draft.tasks.get(by.id);
  return task?.state === "running" && task.token === by?.token && task.job === job;
}

const liveTasks = (draft: ShardDraft): number => {
  if (draft.liveTasksMax === Infinity) return 0;
  let live = 0;
  for (const { state } of draft.tasks.values()) if (isLive(state)) live += 1;
  return live;
};

const isLive = (state: Task["state"]) => state === "pending" || state === "running";
