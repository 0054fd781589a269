import { isDeepStrictEqual } from "node:util";
import { record, repeatedClaim, take, type Pick } from "../model/claim.ts";
import { gateOf, jobOf, type ShardDraft } from "../model/shard.ts";
import { sweep } from "../model/sweep.ts";
import type { Claim, Claimed } from "../operation.ts";
import type { Lease, Task } from "../task.ts";

/**
 * Checks the choice of a store in a claim against the rules, and then applies it to the model,
 * because a store may choose differently from the model and still be right. The rules are
 * implemented here a second time, on tasks instead of counters, so this also checks the model's own
 * claim.
 */
export function takeChosen(draft: ShardDraft, request: Claim, answer: Claimed): Claimed {
  const repeated = repeatedClaim(draft, request);
  if (repeated) return repeated;
  sweep(draft);

  const inFlight = [...draft.tasks.values()].filter(
    ({ state, token }) => state === "running" && draft.claims.get(token)?.worker === request.worker,
  );
  if (inFlight.some((task) => task.isSuspect)) return { leases: [], hasSuspect: false };

  const suspects = claimableTasks(draft, request).filter((task) => task.isSuspect);
  const token = tokenOf(draft, answer.leases);
  const leases =
    suspects.length > 0 && inFlight.length === 0
      ? takeSuspect(draft, request, token, suspects, answer.leases)
      : takeRuns(draft, request, token, answer.leases);
  if (leases.length > 0) record(draft, request, token, leases);
  return { leases, hasSuspect: suspects.length > 0 && inFlight.length > 0 };
}

function tokenOf(draft: ShardDraft, leases: readonly Lease[]): number {
  const [token = draft.lastToken + 1, ...others] = new Set(leases.map((lease) => lease.token));
  if (others.length > 0) broken("one claim has one token", { token, others });
  if (token <= draft.lastToken) {
    broken("tokens rise with each claim", { token, lastToken: draft.lastToken });
  }
  return token;
}

function takeSuspect(
  draft: ShardDraft,
  request: Claim,
  token: number,
  suspects: readonly Task[],
  leases: readonly Lease[],
): Lease[] {
  const best = Math.max(...suspects.map((task) => task.priority));
  const task = suspects.find(({ id }) => id === leases[0]?.id);
  if (leases.length !== 1 || !task) {
    broken("a worker without tasks gets a suspect, alone", { leases, suspects });
  }
  const isFirst = suspects.every((other) => !isBefore(other, task) || !isSameLane(other, task));
  if (task.priority < best || !isFirst) broken("the best suspect goes first", { task, suspects });
  return take(draft, request, token, { tasks: [task], slots: 1 });
}

function takeRuns(
  draft: ShardDraft,
  request: Claim,
  token: number,
  leases: readonly Lease[],
): readonly Lease[] {
  const taken: Lease[] = [];
  const servedBefore = draft.served;
  let left = request.limit;
  for (const tasks of byLane(draft, leases)) {
    const pick = judged(draft, request, tasks, { left, servedBefore });
    taken.push(...take(draft, request, token, pick));
    left -= pick.slots;
  }
  const [claimable] = openLanes(draft, request);
  if (left > 0 && claimable) {
    broken("a claim leaves nothing claimable while it has free slots", { left, claimable });
  }
  return taken;
}

/** Groups neighbouring leases of one (kind, job, gate): a run, or tasks that are independent. */
function byLane(draft: ShardDraft, leases: readonly Lease[]): readonly Task[][] {
  const lanes: Task[][] = [];
  for (const lease of leases) {
    const task = draft.tasks.get(lease.id) ?? broken("a lease is of a task there is", lease);
    const last = lanes.at(-1);
    if (last?.[0] && isSameLane(last[0], task)) last.push(task);
    else lanes.push([task]);
  }
  return lanes;
}

interface Turn {
  /** Slots of the worker that are still free. */
  readonly left: number;
  /**
   * The number of picks before this claim: a job with a higher `served` had its turn in this claim.
   */
  readonly servedBefore: number;
}

/** The slots that these tasks use of the worker and of the job, if they may be taken now. */
function judged(
  draft: ShardDraft,
  request: Claim,
  tasks: readonly Task[],
  { left, servedBefore }: Turn,
): Pick {
  const [head] = tasks;
  const open = openLanes(draft, request);
  const lane = head && open.find(([first]) => first && isSameLane(first, head));
  if (!head || !lane) broken("only what is claimable is claimed", { tasks, open });
  if (!isDeepStrictEqual(tasks, lane.slice(0, tasks.length))) {
    broken("inside a lane the highest priority goes first, then the oldest", { tasks, lane });
  }
  const others = open.filter((other) => other !== lane).map(([first]) => first!);
  judgeTurn(draft, head, others);

  const { concurrency, slots: taken } = jobOf(draft, head.job);
  const room = Math.min(left, (concurrency ?? Infinity) - taken);
  if (room < 1) broken("a claim keeps to its own limit and to the job's cap", { head, left });
  const gate = gateOf(draft, head);
  if (gate && (gate.delayMs > 0 || gate.limit === 1)) {
    const byDelay =
      gate.delayMs > 0 ? Math.max(1, Math.floor(request.leaseMs / (2 * gate.delayMs))) : Infinity;
    const size = Math.min(request.burst, byDelay, lane.length);
    if (tasks.length !== size) broken(`this run has ${size} tasks`, { tasks, lane, gate });
    return { tasks, slots: Math.min(gate.limit, size, room) };
  }
  const gateRoom = gate ? gate.limit - runningOf(draft, gate.name) : Infinity;
  if (tasks.length > Math.min(room, gateRoom)) {
    broken("limits hold: the claim's, the job's and the gate's", { tasks, room, gateRoom });
  }
  judgeShare(draft, tasks, others, { left, servedBefore });
  return { tasks, slots: tasks.length };
}

/**
 * The best lane is next; among equal ones, the job that has waited longest, then the oldest task.
 */
function judgeTurn(draft: ShardDraft, head: Task, others: readonly Task[]): void {
  const served = (task: Task) => jobOf(draft, task.job).served;
  for (const other of others) {
    const isBetter =
      other.priority > head.priority ||
      (other.priority === head.priority &&
        (served(other) < served(head) || (served(other) === served(head) && other.id < head.id)));
    if (isBetter) {
      const seen = { head, other, served: [served(head), served(other)] };
      broken("the best lane goes first, equal ones by turns of their jobs", seen);
    }
  }
}

/**
 * A lane may not take tasks with a lower priority than the best of another lane. Jobs of equal
 * priority that were not served yet share the rest.
 */
function judgeShare(
  draft: ShardDraft,
  tasks: readonly Task[],
  others: readonly Task[],
  { left, servedBefore }: Turn,
): void {
  const [head, ...rest] = tasks;
  if (!head) return;
  const best = Math.max(0, ...others.map((other) => other.priority));
  if (rest.some((task) => task.priority < best)) {
    broken("a lane's later tasks wait for better lanes", { tasks, others });
  }
  const equals = others.filter(({ priority }) => priority === head.priority);
  const jobs = [...new Set([head, ...equals].map((task) => task.job))];
  const waiting = jobs.filter((job) => jobOf(draft, job).served <= servedBefore).length;
  const share = Math.max(1, Math.floor(left / (waiting || jobs.length)));
  if (jobs.length > 1 && tasks.length > share) {
    const seen = { tasks, others, left, waiting };
    broken(`one of ${jobs.length} equal jobs gets ${share} at a time`, seen);
  }
}

/** Claimable tasks by lane, best first, without suspects. */
function openLanes(draft: ShardDraft, request: Claim): readonly Task[][] {
  const lanes: Task[][] = [];
  for (const task of claimableTasks(draft, request)) {
    if (task.isSuspect) continue;
    const lane = lanes.find(([first]) => first && isSameLane(first, task));
    if (lane) lane.push(task);
    else lanes.push([task]);
  }
  return lanes.map((lane) => lane.sort((a, b) => (isBefore(a, b) ? -1 : 1)));
}

const claimableTasks = (draft: ShardDraft, { kinds }: Claim): readonly Task[] =>
  [...draft.tasks.values()].filter(
    (task) =>
      task.state === "pending" &&
      kinds.includes(task.kind) &&
      task.dueAtMs <= draft.now.wallMs &&
      isJobOpen(draft, task.job) &&
      isGateOpen(draft, task),
  );

function isJobOpen(draft: ShardDraft, name: string): boolean {
  const { isPaused, ended, concurrency, slots } = jobOf(draft, name);
  return !isPaused && ended === null && slots < (concurrency ?? Infinity);
}

function isGateOpen(draft: ShardDraft, task: Task): boolean {
  const gate = gateOf(draft, task);
  if (!gate) return true;
  const running = runningOf(draft, gate.name);
  const isOwned = gate.delayMs > 0 || gate.limit === 1 || gate.runSlots > 0;
  const isClosed = isOwned ? running > 0 : running >= gate.limit;
  return !isClosed && gate.blockedUntilMs <= draft.now.ms && gate.opensAtMs <= draft.now.ms;
}

const runningOf = (draft: ShardDraft, gate: string): number =>
  [...draft.tasks.values()].filter((task) => task.state === "running" && task.gate === gate).length;

const isBefore = (a: Task, b: Task): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.id < b.id);

const isSameLane = (a: Task, b: Task): boolean =>
  a.kind === b.kind && a.job === b.job && a.gate === b.gate;

export function broken(rule: string, seen: unknown): never {
  throw new Error(`${rule}; seen: ${JSON.stringify(seen)}`);
}
