import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../../../base/app-error.ts";
import { isComplete, newJob, type Job } from "../../../job.ts";
import { thousandths } from "../storage/spending.ts";
import type { JobAnswer, OpenJob, Operation } from "../../../operation.ts";
import {
  emptyControl,
  findControlJob,
  newControlJob,
  withJobs,
  type Control,
  type ControlJob,
} from "../storage/control.ts";
import type { ShardHead } from "../head/head.ts";
import { unlessQuarantined, type ManyContext, type Sender } from "./many-context.ts";

type JobOperation = Extract<Operation, { op: "seal" | "pause" | "resume" | "cancel" }>;

/**
 * Jobs whose tasks are in several shards. A job that is bound to a gate belongs to the shard of the
 * gate.
 */
export interface ManyJobs {
  openJob(operation: OpenJob, sender: Sender): Promise<JobAnswer>;
  change(operation: JobOperation, sender: Sender): Promise<JobAnswer>;
  /**
   * Completes sealed jobs without open tasks in any shard. Each job completes once, even if several
   * nodes check.
   */
  completeIfDone(sender: Sender): Promise<void>;
  /** Reopens ended jobs before their tasks are retried. */
  reopen(names: ReadonlySet<string>, sender: Sender): Promise<void>;
  /** Removes ended jobs that have no task in any shard. */
  dropEmpty(heads: readonly ShardHead[], sender: Sender): Promise<void>;
}

export function createManyJobs(at: ManyContext): ManyJobs {
  const { keepers, routing, control, moment } = at;

  /** Every shard writes, because a commit of a shard first applies the known control. */
  const applyEverywhere = async ({ send }: Sender) => {
    await Promise.all(
      keepers.map(async (keeper, shard) => {
        if ((keeper.seen()?.control ?? 0) < at.known().version) {
          await unlessQuarantined(send(shard, { op: "extend", leases: [], leaseMs: 1 }));
        }
      }),
    );
  };
  const changeControl = (change: (before: Control) => Control) =>
    control.change((before = emptyControl) => change(before));

  const hereAnywhere = (heads: readonly ShardHead[], name: string) =>
    heads.find(({ shard }) => shard.jobs.has(name))?.shard.jobs.get(name);

  return {
    async openJob(operation, { send }) {
      const { job: name, concurrency, budget, gate } = operation;
      const known = findControlJob((await control.read()) ?? emptyControl, name);
      if (known?.ended) return "closed";
      if (gate === "" && (concurrency !== null || budget !== null)) throw needsOneShard(name);
      const heads = known ? [] : await at.readAll();
      const local = hereAnywhere(heads, name);
      const bound = known?.gate ?? local?.gate ?? gate;
      // The existing tasks of a job stay in their shards, so it cannot move to one shard.
      if (bound !== gate) throw needsOneShard(name);
      const { ms } = await moment(0);
      let ended: ControlJob["ended"] = null;
      await changeControl((before) => {
        const found = findControlJob(before, name);
        ended = found?.ended ?? null;
        if (found) return before;
        const openedAtMs = local?.openedAtMs ?? ms;
        const made = new Map([[name, newControlJob(name, gate, openedAtMs)]]);
        return withJobs(before, made, { isForShards: false });
      });
      if (gate !== "") return send(routing.ofGate(gate), operation);
      return ended === null ? "ok" : "closed";
    },

    async change(operation, sender) {
      const { job: name, op } = operation;
      const known = findControlJob((await control.read()) ?? emptyControl, name);
      if (known && known.gate !== "") return sender.send(routing.ofGate(known.gate), operation);
      const local = known ? undefined : hereAnywhere(await at.readAll(), name);
      if (!known && !local) return "absent";
      if (local && local.gate !== "") return sender.send(routing.ofGate(local.gate), operation);
      const { ms } = await moment(0);
      let answer: JobAnswer = "ok";
      await changeControl((before) => {
        const job =
          findControlJob(before, name) ?? newControlJob(name, "", local?.openedAtMs ?? ms);
        answer = job.ended === null ? "ok" : "closed";
        if (answer === "closed") return before;
        const changed = new Map([[name, { ...job, ...patches[op](ms) }]]);
        return withJobs(before, changed, { isForShards: true });
      });
      await applyEverywhere(sender);
      return answer;
    },

    async completeIfDone(sender) {
      const touched = [...sender.heads.values()].flatMap(({ shard }) => [...shard.jobs.values()]);
      if (!touched.some((job) => job.gate === "" && isComplete(job))) return;
      await control.read();
      await applyEverywhere(sender); // the node that sealed it may have died
      const sealed = at.known().jobs.filter(isCandidate);
      const first = await Promise.all(keepers.map((keeper) => keeper.read()));
      const over = sealed.filter(({ name }) => !first.some((head) => isOpenIn(head, name)));
      if (over.length === 0 || first.some((head) => head.control < at.known().version)) return;
      // The jobs are unchanged after all shards were read a second time. So at one moment nothing
      // was open in any shard, and a sealed job accepts new tasks only from its own running tasks.
      const second = await Promise.all(keepers.map((keeper) => keeper.read()));
      const isStill = ({ name }: ControlJob) =>
        second.every(({ shard }, index) =>
          isDeepStrictEqual(shard.jobs.get(name), first[index]!.shard.jobs.get(name)),
        );
      const ending = over.filter(isStill);
      if (ending.length === 0) return;
      const { ms } = await moment(0);
      await changeControl((before) => {
        const ended = ending.flatMap(({ name }) => {
          const job = findControlJob(before, name);
          if (!job || !isCandidate(job)) return [];
          const end = {
            ended: "completed",
            endedAtMs: ms,
            completions: job.completions + 1,
          } as const;
          return [[name, { ...job, ...end }] as const];
        });
        return withJobs(before, new Map(ended), { isForShards: true });
      });
      await applyEverywhere(sender);
    },

    async reopen(names, sender) {
      await changeControl((before) => {
        const jobs = before.jobs.filter(({ name, ended }) => ended !== null && names.has(name));
        const open = jobs.map((job) => [job.name, { ...job, ended: null, endedAtMs: 0 }] as const);
        return withJobs(before, new Map(open), { isForShards: true });
      });
      await applyEverywhere(sender);
    },

    async dropEmpty(heads, sender) {
      const isEmpty = ({ name, gate, ended }: ControlJob) =>
        ended !== null && gate === "" && !heads.some((head) => hasTasks(head, name));
      // A bound job is removed by its shard.
      const isGone = ({ name, gate }: ControlJob) =>
        gate !== "" && !heads[routing.ofGate(gate)]?.shard.jobs.has(name);
      const known = (await control.read()) ?? emptyControl;
      if (!known.jobs.some((job) => isEmpty(job) || isGone(job))) return;
      await changeControl((before) => {
        const gone = before.jobs.filter((job) => isEmpty(job) || isGone(job));
        const changed = new Map(gone.map(({ name }) => [name, undefined]));
        return withJobs(before, changed, { isForShards: true });
      });
      await applyEverywhere(sender);
    },
  };
}

const patches: Readonly<Record<JobOperation["op"], (ms: number) => Partial<ControlJob>>> = {
  seal: () => ({ isSealed: true }),
  pause: () => ({ isPaused: true }),
  resume: () => ({ isPaused: false }),
  cancel: (endedAtMs) => ({ ended: "cancelled", endedAtMs }),
};

const isCandidate = ({ gate, isSealed, ended }: ControlJob) =>
  gate === "" && isSealed && ended === null;

const isOpenIn = (head: ShardHead | undefined, name: string): boolean => {
  const job = head?.shard.jobs.get(name);
  return job !== undefined && job.pending + job.running > 0;
};

const hasTasks = ({ shard, archived }: ShardHead, name: string): boolean =>
  archived.some(({ job }) => job === name) ||
  [...shard.tasks.values()].some(({ job }) => job === name);

/** Merges the states of a job in all shards; `home`: the state of a job that lives in one shard. */
export function mergeJob(
  name: string,
  { control, heads }: { readonly control: Control; readonly heads: readonly ShardHead[] },
): Job | undefined {
  const locals = heads.map(({ shard }) => shard.jobs.get(name)).filter((job) => job !== undefined);
  const bound = locals.find(({ gate }) => gate !== "");
  if (bound) return bound;
  const common = findControlJob(control, name);
  if (!common && locals.length === 0) return undefined;
  if (common && common.gate !== "") return undefined;
  const sum = (of: (job: Job) => number) => locals.reduce((total, job) => total + of(job), 0);
  const openedAtMs = Math.min(
    ...locals.map((job) => job.openedAtMs),
    common?.openedAtMs ?? Infinity,
  );
  return {
    ...newJob(name, openedAtMs),
    ...common,
    openedAtMs,
    slots: sum(({ slots }) => slots),
    added: sum(({ added }) => added),
    pending: sum(({ pending }) => pending),
    running: sum(({ running }) => running),
    done: sum(({ done }) => done),
    skipped: sum(({ skipped }) => skipped),
    failed: sum(({ failed }) => failed),
    served: Math.max(0, ...locals.map(({ served }) => served)),
    requests: sum(({ requests }) => requests),
    commitRequests: thousandths(sum(({ commitRequests = 0 }) => commitRequests)),
  };
}

const needsOneShard = (name: string) =>
  new AppError(
    "invalid",
    "job_needs_one_shard",
    `job "${name}" has a cap, a budget or another gate than before, and this queue has several ` +
      `shards: such a job must be bound to one gate, from its beginning, and then lives in that ` +
      `gate's shard. Bind it, leave cap and budget out, or use a queue of one shard`,
  );
