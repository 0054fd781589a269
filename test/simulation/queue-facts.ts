import { AppError } from "../../src/base/app-error.ts";
import type {
  Added,
  Claimed,
  Finished,
  LeaseRef,
  Operation,
  Outcomes,
} from "../../src/queue/index.ts";
import type { LandedHead } from "./queue-heads.ts";
import type { Fail } from "./verdict.ts";
import type { World } from "./world.ts";

/**
 * What has been true in some head that landed. What a client is told must be among it: this needs
 * neither the model nor to know which write an answer came from, so it holds for any number of
 * shards.
 */
export interface Facts {
  /** `before`: the one it replaces, whose facts are noted. */
  note(head: LandedHead, before: LandedHead | undefined): void;
  /** What is finished and purged in one commit is in no head. */
  noteAnswer(operation: Operation, answer: Outcomes[number]): void;
  check(operation: Operation, answer: Outcomes[number]): void;
  /** When the claim of that lease landed, in true time. */
  leasedAtMs(lease: LeaseRef): number;
}

export function createFacts({ scheduler }: World, fail: Fail): Facts {
  /** How often a task of that identity was made: once, and again when it was purged. */
  const madeIds = new Map<string, Set<number>>();
  const reportedAdded = new Map<string, number>();
  const facts = new Set<string>();
  const leasedAtMs = new Map<string, number>();

  const checkAdded = (identity: string, answer: Added) => {
    if (answer.status !== "added") return;
    const reported = (reportedAdded.get(identity) ?? 0) + 1;
    reportedAdded.set(identity, reported);
    const made = madeIds.get(identity)?.size ?? 0;
    if (reported > made)
      fail(`Q1: ${identity} was added ${reported} times, as told, and made ${made} times`);
  };

  return {
    note({ full }, before) {
      for (const task of full.tasks.values()) {
        if (before?.full.tasks.get(task.id) === task) continue;
        const { id, token, state, job, gate, key, attempts } = task;
        const identity = JSON.stringify([job, key]);
        const ids = madeIds.get(`${identity} ${gate}`) ?? new Set();
        madeIds.set(`${identity} ${gate}`, ids.add(id));
        facts.add(`${id}/${token} ${state}`);
        const lease = `${id}/${token}`;
        if (!leasedAtMs.has(lease)) leasedAtMs.set(lease, scheduler.nowMs());
        for (const attempt of attempts) facts.add(`${id}/${attempt.token} ${attempt.outcome}`);
      }
    },
    leasedAtMs: ({ id, token }) => leasedAtMs.get(`${id}/${token}`) ?? -Infinity,
    noteAnswer(operation, answer) {
      if (operation.op !== "finish" || answer instanceof AppError) return;
      operation.finishes.forEach(({ id, token, outcome }, index) => {
        const isEnded = (answer as readonly Finished[])[index]!.status !== "lost";
        if (isEnded) facts.add(`${id}/${token} ${outcome.kind}`);
      });
    },
    check(operation, answer) {
      if (answer instanceof AppError) return;
      if (operation.op === "add") {
        operation.tasks.forEach(({ job, gate, key }, index) =>
          checkAdded(`${JSON.stringify([job, key])} ${gate}`, (answer as readonly Added[])[index]!),
        );
      }
      if (operation.op === "claim") {
        const { leases } = answer as Claimed;
        const ids = new Set(leases.map(({ id }) => id));
        if (ids.size < leases.length) fail("Q3: a claim hands out a task twice");
        for (const { id, token } of leases) {
          if (!facts.has(`${id}/${token} running`))
            fail(`Q3: lease ${id}/${token} is from nowhere`);
        }
      }
      if (operation.op !== "finish") return;
      operation.finishes.forEach(({ id, token, outcome }, index) => {
        if ((answer as readonly Finished[])[index]!.status === "lost") return;
        if (facts.has(`${id}/${token} ${outcome.kind}`)) return;
        fail(`Q2: ${id}/${token} is told to be finished with ${outcome.kind}, and never was`);
      });
    },
  };
}
