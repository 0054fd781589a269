import type { AppError } from "../../../../base/app-error.ts";
import { storeNow } from "../../../model/now.ts";
import type { Answer, FinishAll, Operation } from "../../../operation.ts";
import type { StoreNow } from "../../../queue-store.ts";
import { forgetEmpty, purge, retry } from "./bulk.ts";
import type { Needs } from "../claim/claim-needs.ts";
import { createClaimer } from "../claim/claimer.ts";
import { createCounts, type Counts } from "../read/counts.ts";
import {
  queryOne,
  type Database,
  type PostgresSession,
  type TransactionOptions,
} from "../connection/database.ts";
import type { Grouped } from "../../../slice/named-tasks.ts";
import { applyGroup, isGrouped, type AppliedGroup } from "./group.ts";
import { addFast, isFastAdd } from "./fast-add.ts";
import { createKnownLeases } from "../claim/known-leases.ts";
import type { LazyKind } from "./lazy-kind.ts";
import { forgetKeys, pruneLog } from "../read/log.ts";
import {
  momentColumns,
  momentValues,
  readMoment,
  toNow,
  withMoment,
  type Moment,
  type MomentRow,
} from "../connection/moment.ts";
import { addBatch, isBatchAdd } from "./batch-add.ts";
import { finishFast, isFastFinish, readJobsAfter, type JobAfter } from "./fast-finish.ts";
import { demote, promote } from "../claim/promote.ts";
import { applyToGate, applyToJob, completeJobs } from "./settings.ts";
import { forgetClaims, sweep, type SweepOptions } from "./sweep.ts";
import { createStripes, stripesOfProcess } from "../claim/stripes.ts";
import type { FastPath } from "./fast-path.ts";

export interface Committer {
  /** Applies the operations in order. Resolves when all of them are durable. */
  commit(operations: readonly Operation[]): Promise<PostgresCommitted>;
  /** See `QueueStore`. */
  overlaps(operation: Operation): boolean;
  /** Reverts promotions of tasks if the wall clock went back. */
  settle(): Promise<StoreNow>;
  /** Completes all jobs that are complete but not marked so. */
  complete(): Promise<void>;
}

export interface PostgresCommitted {
  readonly answers: readonly (Answer<Operation> | AppError)[];
  /** Others may have something to claim now. */
  readonly mayWake: boolean;
}

/** A transaction that writes its counters at the end. */
export type Counted = <T>(
  work: (session: PostgresSession, counts: Counts) => Promise<T>,
  options?: TransactionOptions<T>,
) => Promise<T>;

/** What the operations of one commit share. */
interface Course {
  /** Jobs that may be complete now. */
  readonly jobs: Set<string>;
  /** All jobs must be checked. */
  isSweep: boolean;
  mayWake: boolean;
}

export interface CommitterOptions {
  readonly db: Database;
  readonly moment: Moment;
  /** The first counter stripe that this process uses, see ./stripes.ts. */
  readonly stripe: number;
  readonly lazy: ReadonlySet<LazyKind>;
  readonly without: ReadonlySet<FastPath>;
}

/**
 * Splits a commit into transactions. Each claim has one, neighbouring operations that name their
 * tasks share one, and every other operation has one. Each operation is atomic; jobs complete after
 * the last one.
 */
export function createCommitter(options: CommitterOptions): Committer {
  const { db, moment, stripe, lazy, without } = options;
  const has = (path: FastPath) => !without.has(path);
  const known = createKnownLeases();
  /** Unthrottled finishes that are still running: a claim may run concurrently with them. */
  const finishing = new Set<Promise<unknown>>();
  /**
   * True if these finishes make nothing claimable: no gate opens, and no capped job gets a slot
   * back.
   */
  const isUnthrottled = (group: readonly FinishAll[]) =>
    group.every(({ finishes }) => finishes.every((one) => known.isUnthrottled(one)));
  /** After a fast add met a known key, this many adds take the slow path. */
  let slowAdds = 0;
  const now = (session: PostgresSession) => readMoment(session, moment);
  const stripes = createStripes(stripe, has("stripes") ? stripesOfProcess : 1);
  const counted: Counted = (work, options) =>
    stripes.lend((own) =>
      db.transaction(async (session) => {
        const counts = createCounts(own);
        const result = await work(session, counts);
        counts.write(session);
        return result;
      }, options),
    );

  const isLazyClaim = lazy.has("claim");
  const claim = createClaimer({
    db,
    moment,
    stripes,
    counted,
    known,
    finishing,
    isLazyClaim,
    hasFastPath: has("claim"),
  });

  const isLazy = (group: readonly Grouped[]) =>
    group.every(({ op }) => lazy.has(op === "add" || op === "raise" ? "add" : "finish"));

  async function finishKnown(group: readonly FinishAll[]): Promise<AppliedGroup | undefined> {
    let reading: Promise<readonly JobAfter[]> | undefined;
    const applied = await counted(
      (session, counts) => finishFast(session, group, { moment, counts, known }),
      {
        keeps: (done) => done !== undefined,
        isLazy: isLazy(group),
        after: (session, done) => (reading = readJobsAfter(session, done?.jobs ?? [])),
      },
    );
    if (!applied) return undefined;
    for (const { finishes } of group) known.forget(finishes);
    // If the session broke after the commit, the answer is unknown: then check all jobs.
    const jobs = await reading?.catch(() => undefined);
    if (!jobs) return applied;
    return {
      ...applied,
      jobs: jobs.filter(({ mayEnd }) => mayEnd).map(({ name }) => name),
      mayWake: applied.mayWake || jobs.some(({ isCapped }) => isCapped),
    };
  }

  /**
   * Applies a group on a fast path. Returns undefined if no fast path fits; then nothing was
   * changed.
   */
  async function applyFast(group: readonly Grouped[]): Promise<AppliedGroup | undefined> {
    if (has("finish") && isFastFinish(group, known)) {
      const finish = finishKnown(group);
      if (!isUnthrottled(group)) return finish;
      finishing.add(finish);
      return finish.finally(() => finishing.delete(finish));
    }
    if (slowAdds > 0) slowAdds -= 1;
    else if (has("add") && isFastAdd(group)) {
      const applied = await stripes.lend((own) =>
        db.transaction<AppliedGroup | undefined>(
          (session) => addFast({ session, moment, stripe: own }, group),
          { takenAs: undefined, isLazy: isLazy(group), isOneWay: "once" },
        ),
      );
      if (!applied) slowAdds = slowAddsAfterFast;
      return applied;
    } else if (has("batch-add") && isBatchAdd(group)) {
      const applied = await counted<AppliedGroup | "known" | undefined>(
        (session, counts) => addBatch(session, group, { moment, counts }),
        { keeps: (result) => result !== undefined, takenAs: "known", isLazy: isLazy(group) },
      );
      if (applied !== "known") return applied;
      slowAdds = slowAddsAfterBatch;
    }
    return undefined;
  }

  async function settle(): Promise<StoreNow> {
    const { readyDue, ...moments } = await queryOne<MomentRow & { readonly readyDue: number }>(
      db,
      `${withMoment} select ${momentColumns},
         coalesce((select max(ready_due) from @tally), 0) as "readyDue" from moment`,
      momentValues(moment),
    );
    const at = storeNow(toNow(moments));
    if (readyDue > at.wallMs) await counted((session, counts) => demote(session, at, counts));
    return at;
  }

  async function sweepNow(how: Pick<SweepOptions, "waits" | "isAfterCancel">, course: Course) {
    const found = await counted((session, counts) =>
      sweep(session, { now: () => now(session), counts, ...how }),
    );
    for (const job of found?.jobs ?? []) course.jobs.add(job);
    course.mayWake ||= (found?.jobs.length ?? 0) > 0;
    return found?.swept ?? { requeued: 0, failed: 0, cancelled: 0, hasMore: true };
  }

  /** Does the maintenance before a claim, each part in its own transaction and only if needed. */
  async function prepare(needs: Needs, course: Course): Promise<void> {
    const at = toNow(needs);
    if (needs.hasExpired || needs.hasRest) {
      await sweepNow({ waits: false, isAfterCancel: false }, course);
    }
    if (needs.hasComplete) course.isSweep = true;
    if (needs.hasForgotten) await db.transaction((session) => forgetClaims(session, at.ms));
    if (needs.readyDue > at.wallMs) await counted((session, counts) => demote(session, at, counts));
    if (!needs.hasDue && !needs.hasOpening) return;
    await counted((session, counts) => promote(session, at, counts), { isLazy: true });
  }

  async function applyTogether(group: readonly Grouped[], course: Course) {
    const applied =
      (await applyFast(group)) ??
      (await counted(
        (session, counts) => applyGroup(session, group, { now: () => now(session), counts }),
        { isLazy: isLazy(group) },
      ));
    for (const job of applied.jobs) course.jobs.add(job);
    course.mayWake ||= applied.mayWake;
    return applied.answers();
  }

  async function applyOne(
    operation: Exclude<Operation, Grouped>,
    course: Course,
  ): Promise<Answer<Operation>> {
    switch (operation.op) {
      case "claim":
        return claim(operation, (needs) => prepare(needs, course));
      case "sweep":
        course.isSweep = true;
        return sweepNow({ waits: true, isAfterCancel: false }, course);
      case "block":
      case "setGate":
        course.mayWake = true;
        return counted(async (session, counts) =>
          applyToGate(session, operation, await now(session), counts),
        );
      case "openJob":
      case "seal":
      case "pause":
      case "resume":
        course.jobs.add(operation.job);
        course.mayWake = true;
        return counted(async (session, counts) =>
          applyToJob(session, operation, await now(session), counts),
        );
      case "cancel": {
        const answer = await counted(async (session, counts) =>
          applyToJob(session, operation, await now(session), counts),
        );
        if (answer === "ok") await sweepNow({ waits: true, isAfterCancel: true }, course);
        return answer;
      }
      case "retry":
        return counted(async (session, counts) => {
          const { changed, jobs } = await retry(session, operation, () => now(session), counts);
          for (const job of jobs) course.jobs.add(job);
          course.mayWake = true;
          return changed;
        });
      case "purge": {
        const changed = await db.transaction((session) =>
          purge(session, operation, createCounts(stripe)),
        );
        await db.transaction(async (session) => forgetEmpty(session, (await now(session)).ms));
        return changed;
      }
      case "forgetKeys":
        return db.transaction((session) => forgetKeys(session, operation));
      case "pruneLog":
        return db.transaction((session) => pruneLog(session, operation));
    }
  }

  const complete = (names: readonly string[] | "all") =>
    completeJobs(db, (work) => db.transaction(work), names, now);

  return {
    overlaps: (operation) =>
      has("overlap") &&
      (operation.op === "claim" ||
        (operation.op === "finish" &&
          has("finish") &&
          isFastFinish([operation], known) &&
          isUnthrottled([operation]))),
    settle,
    complete: async () => void (await complete("all")),
    async commit(operations) {
      const answers: (Answer<Operation> | AppError)[] = [];
      const course: Course = { jobs: new Set(), isSweep: false, mayWake: false };
      for (let from = 0; from < operations.length;) {
        const group = takeGroup(operations, from);
        if (group.length > 0) {
          answers.push(...(await applyTogether(group, course)));
        } else {
          const operation = operations[from] as Exclude<Operation, Grouped>;
          answers.push(await applyOne(operation, course));
        }
        from = answers.length;
      }
      await complete(course.isSweep ? "all" : [...course.jobs]);
      return { answers, mayWake: course.mayWake };
    },
  };
}

const slowAddsAfterBatch = 50;
/** A failed fast add costs only one round trip. */
const slowAddsAfterFast = 5;

function takeGroup(operations: readonly Operation[], from: number): readonly Grouped[] {
  const group: Grouped[] = [];
  for (const operation of operations.slice(from)) {
    if (!isGrouped(operation)) break;
    group.push(operation);
  }
  // There are fast paths for many operations of one type, and none for mixed ones.
  if (group.reduce((sum, operation) => sum + sizeOf(operation), 0) < sortedMin) return group;
  const end = group.findIndex(({ op }) => op !== group[0]!.op);
  return end < 0 ? group : group.slice(0, end);
}

const sortedMin = 64;

function sizeOf(operation: Grouped): number {
  switch (operation.op) {
    case "add":
      return operation.tasks.length;
    case "extend":
      return operation.leases.length;
    case "finish":
      return operation.finishes.length;
    case "release":
      return operation.releases.length;
    case "raise":
      return operation.raises.length;
  }
}
