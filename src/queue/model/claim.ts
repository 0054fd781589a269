import { assert } from "../../base/app-error.ts";
import { burstLimit, isOpen, isOwned, type Gate } from "../gate.ts";
import { isClaimable, slotsLeft } from "../job.ts";
import { laneKey } from "../lane.ts";
import type { Claim, Claimed } from "../operation.ts";
import type { Lease, Pace, Task } from "../task.ts";
import { bucketOf } from "../read/wait-histogram.ts";
import { expiryMs } from "./now.ts";
import { gateOf, jobOf, patchGate, patchJob, putTask, type ShardDraft } from "./shard.ts";
import { sweep } from "./sweep.ts";

/**
 * The token contains the current time, so that a restored backup cannot hand out an old one again.
 */
export const nextToken = (lastToken: number, nowMs: number): number =>
  Math.max(lastToken + 1, Math.floor(nowMs) * 1024);

/**
 * Sweeps, then picks from the best open lane until the slots are used: highest priority first, then
 * the job that has waited longest, then the oldest task. A suspect goes first, but only to a worker
 * that holds no task, and then alone.
 */
export function claim(draft: ShardDraft, request: Claim): Claimed {
  const repeated = repeatedClaim(draft, request);
  if (repeated) return repeated;
  sweep(draft);

  const { holdsAny, holdsSuspect } = heldBy(draft, request);
  if (holdsSuspect) return { leases: [], hasSuspect: false };
  const { suspects, others } = claimableTasks(draft, request);
  const suspect = suspects.sort(byPriority)[0];
  const token = nextToken(draft.lastToken, draft.now.ms);
  const leases: Lease[] = [];
  if (suspect && !holdsAny) {
    leases.push(...take(draft, request, token, { tasks: [suspect], slots: 1 }));
  } else {
    const lanes = lanesOf(others);
    const servedBefore = draft.served;
    for (let left = request.limit; left > 0;) {
      const pick = bestPick(draft, request, lanes, { left, servedBefore });
      if (!pick) break;
      leases.push(...take(draft, request, token, pick));
      left -= pick.slots;
    }
  }
  if (leases.length > 0) record(draft, request, token, leases);
  return { leases, hasSuspect: suspect !== undefined && holdsAny };
}

/** Claimable tasks of one (kind, job, gate), best first. */
type OpenLane = { tasks: readonly Task[] };

function lanesOf(tasks: readonly Task[]): OpenLane[] {
  const lanes = new Map<string, Task[]>();
  let last: readonly [Task, Task[]] | undefined;
  for (const task of tasks) {
    // Neighbouring tasks are mostly of the same lane, and creating its key is expensive.
    if (last && isSameLane(last[0], task)) {
      last[1].push(task);
      continue;
    }
    const name = laneKey(task);
    const lane = lanes.get(name) ?? [];
    lanes.set(name, lane);
    lane.push(task);
    last = [task, lane];
  }
  return [...lanes.values()].map((lane) => ({ tasks: lane.sort(byPriority) }));
}

const isSameLane = (a: Task, b: Task) => a.kind === b.kind && a.job === b.job && a.gate === b.gate;

export interface Pick {
  readonly tasks: readonly Task[];
  /** The slots that it uses of the worker and of the job's cap. */
  readonly slots: number;
}

/** Removes the next pick from `lanes`. */
function bestPick(
  draft: ShardDraft,
  request: Claim,
  lanes: readonly OpenLane[],
  { left, servedBefore }: { readonly left: number; readonly servedBefore: number },
): Pick | undefined {
  const open = lanes
    .filter(({ tasks: [head] }) => head && isOpenFor(draft, head))
    .sort((a, b) => byLane(draft, a.tasks[0]!, b.tasks[0]!));
  const [best, second] = open;
  const head = best?.tasks[0];
  if (!best || !head) return undefined;

  const room = Math.min(left, slotsLeft(jobOf(draft, head.job)));
  const gate = gateOf(draft, head);
  let tasks: readonly Task[];
  if (gate && isOwned(gate)) {
    tasks = best.tasks.slice(0, burstLimit(gate, request.leaseMs, request.burst));
  } else {
    const equals = open.filter((lane) => lane.tasks[0]!.priority === head.priority);
    const jobs = new Set(equals.map((lane) => lane.tasks[0]!.job));
    const unserved = [...jobs].filter((job) => jobOf(draft, job).served <= servedBefore).length;
    // The rest is shared equally by the jobs that have not been served in this claim.
    const share = Math.max(1, Math.floor(left / (unserved || jobs.size)));
    // Do not take tasks with a lower priority than the best task of another lane.
    const floor = second?.tasks[0]?.priority ?? 0;
    tasks = best.tasks
      .slice(0, Math.min(room, share, gate ? gate.limit - gate.running : Infinity))
      .filter((task) => task.priority >= floor);
  }
  best.tasks = best.tasks.slice(tasks.length);
  return {
    tasks,
    slots: gate && isOwned(gate) ? Math.min(gate.limit, tasks.length, room) : tasks.length,
  };
}

const isOpenFor = (draft: ShardDraft, task: Task) =>
  isClaimable(jobOf(draft, task.job)) && isGateOpen(gateOf(draft, task), draft.now.ms);

/** One pass over all tasks, because this dominates the cost of a claim. */
function claimableTasks(draft: ShardDraft, { kinds }: Claim): Claimable {
  const suspects: Task[] = [];
  const others: Task[] = [];
  const wallMs = draft.now.wallMs;
  let last: { readonly task: Task; readonly isOpen: boolean } | undefined;
  for (const task of draft.tasks.values()) {
    if (task.state !== "pending" || task.dueAtMs > wallMs) continue;
    if (!last || !isSameLane(last.task, task)) {
      last = { task, isOpen: kinds.includes(task.kind) && isOpenFor(draft, task) };
    }
    if (last.isOpen) (task.isSuspect ? suspects : others).push(task);
  }
  return { suspects, others };
}

interface Claimable {
  readonly suspects: Task[];
  readonly others: Task[];
}

const isGateOpen = (gate: Gate | undefined, nowMs: number) => !gate || isOpen(gate, nowMs);

const byPriority = (a: Task, b: Task) => b.priority - a.priority || a.id - b.id;

const byLane = (draft: ShardDraft, a: Task, b: Task) =>
  b.priority - a.priority || jobOf(draft, a.job).served - jobOf(draft, b.job).served || a.id - b.id;

/** Leases tasks of one lane. All tasks of an owned gate are one run. */
export function take(
  draft: ShardDraft,
  { leaseMs }: Claim,
  token: number,
  { tasks, slots }: Pick,
): Lease[] {
  const [head] = tasks;
  assert(head, "a pick holds at least one task");
  const job = jobOf(draft, head.job);
  const gate = gateOf(draft, head);
  const isRun = gate !== undefined && isOwned(gate);
  if (gate) {
    patchGate(draft, gate.name, {
      running: gate.running + tasks.length,
      runSlots: isRun ? slots : 0,
    });
  }
  draft.served += 1;
  patchJob(draft, job.name, { slots: job.slots + slots, served: draft.served });
  const pace: Pace | undefined = gate && {
    delayMs: gate.delayMs,
    limit: isRun ? slots : gate.limit,
    isRun,
  };
  noteWaits(draft, head.kind, tasks);
  return tasks.map((task) => {
    const used = task.used + 1;
    const expiresAtMs = expiryMs(draft.now, leaseMs);
    putTask(draft, { ...task, state: "running", token, used, expiresAtMs });
    return toLease(task, { token, used, leaseMs }, pace);
  });
}

function toLease(
  task: Task,
  { token, used, leaseMs }: { token: number; used: number; leaseMs: number },
  pace: Pace | undefined,
): Lease {
  const lease: Lease = {
    id: task.id,
    token,
    kind: task.kind,
    job: task.job,
    gate: task.gate,
    key: task.key,
    payload: task.payload,
    priority: task.priority,
    createdAtMs: task.createdAtMs,
    used,
    attemptsMax: task.attemptsMax,
    isSuspect: task.isSuspect,
    leaseMs,
  };
  return pace ? { ...lease, pace } : lease;
}

/**
 * The time since the task was both added and due. These are times of two clocks, which must not be
 * compared.
 */
function noteWaits({ now, waits }: ShardDraft, kind: string, tasks: readonly Task[]): void {
  const buckets = new Map(waits.get(kind));
  for (const task of tasks) {
    const bucket = bucketOf(Math.min(now.ms - task.createdAtMs, now.wallMs - task.dueAtMs));
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
  }
  waits.set(kind, buckets);
}

export function record(
  draft: ShardDraft,
  request: Claim,
  token: number,
  leases: readonly Lease[],
): void {
  draft.lastToken = token;
  draft.claims.set(token, {
    requestId: request.requestId,
    worker: request.worker,
    ids: leases.map((lease) => lease.id),
    open: leases.length,
    hasSuspect: leases.some((lease) => lease.isSuspect),
    leaseMs: request.leaseMs,
    expiresAtMs: expiryMs(draft.now, request.leaseMs),
  });
}

export function repeatedClaim(
  draft: ShardDraft,
  { requestId, worker }: Claim,
): Claimed | undefined {
  for (const [token, known] of draft.claims) {
    if (known.requestId !== requestId || known.worker !== worker) continue;
    if (known.open === 0 && known.expiresAtMs <= draft.now.ms) continue;
    const tasks = known.ids
      .map((id) => draft.tasks.get(id))
      .filter((task) => task !== undefined && task.state === "running" && task.token === token)
      .sort((a, b) => byPriority(a!, b!));
    return {
      leases: tasks.map((task) =>
        toLease(task!, { token, used: task!.used, leaseMs: known.leaseMs }, paceOf(draft, task!)),
      ),
      hasSuspect: false,
    };
  }
  return undefined;
}

function paceOf(draft: ShardDraft, task: Task): Pace | undefined {
  const gate = gateOf(draft, task);
  if (!gate) return undefined;
  const isRun = gate.runSlots > 0;
  return { delayMs: gate.delayMs, limit: isRun ? gate.runSlots : gate.limit, isRun };
}

function heldBy(draft: ShardDraft, { worker, holdsElsewhere = false }: Claim) {
  const own = [...draft.claims.values()].filter(
    (record) => record.worker === worker && record.open > 0,
  );
  return {
    holdsAny: holdsElsewhere || own.length > 0,
    holdsSuspect: own.some((record) => record.hasSuspect),
  };
}
