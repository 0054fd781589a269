import { AppError, assert } from "../base/app-error.ts";
import { afterTick } from "../base/tick.ts";
import type { Answer, Operation } from "./operation.ts";
import type { QueueStore } from "./queue-store.ts";

/** The most operations of one commit; more wait for the next one. */
const groupMax = 256;

/**
 * The most concurrent commits: of one claim each, and of other operations. With more, commits
 * become smaller and cost more than they gain.
 */
const claimsMax = 4;
const othersMax = 2;

export type Submit = <O extends Operation>(operation: O) => Promise<Answer<O>>;

interface Waiter {
  readonly operation: Operation;
  readonly overlaps: boolean;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines the calls of one turn of the event loop into one commit. Only one commit runs at a time,
 * so operations keep their order; calls that arrive meanwhile share the next commit. Only
 * operations that the store marks as overlapping run concurrently with each other, because no
 * caller can observe their order.
 */
export function createGroupCommit(store: QueueStore): {
  readonly submit: Submit;
  /** Resolves when all submitted operations were answered. */
  readonly idle: () => Promise<void>;
} {
  let waiting: Waiter[] = [];
  let isStarting = false;
  const underWay = { claims: 0, others: 0, alone: 0 };
  const idlers: (() => void)[] = [];
  const isIdle = () => underWay.claims + underWay.others + underWay.alone === 0;

  async function run(group: readonly Waiter[], how: keyof typeof underWay): Promise<void> {
    underWay[how] += 1;
    try {
      const answers = await store.commit(group.map(({ operation }) => operation));
      assert(answers.length === group.length, "a store answers every operation");
      group.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (answer instanceof AppError) reject(answer);
        else resolve(answer as never);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    underWay[how] -= 1;
    start();
  }

  /**
   * Starts overlapping operations from the front of the queue, up to the first one that may not
   * overlap.
   */
  function startOverlapping(): void {
    const barrier = waiting.findIndex(({ overlaps }) => !overlaps);
    const front = barrier < 0 ? waiting : waiting.slice(0, barrier);
    const isClaim = ({ operation }: Waiter) => operation.op === "claim";
    const claims = front.filter(isClaim).slice(0, claimsMax - underWay.claims);
    const others = front.filter((waiter) => !isClaim(waiter)).slice(0, groupMax);
    const started = new Set([...claims, ...(underWay.others < othersMax ? others : [])]);
    if (started.size === 0) return;
    waiting = waiting.filter((waiter) => !started.has(waiter));
    // Claims come second, because a caller that has just finished a task may ask for the next one.
    if (others[0] && started.has(others[0])) void run(others, "others");
    for (const claim of claims) void run([claim], "claims");
  }

  function start(): void {
    if (underWay.alone === 0) startOverlapping();
    if (waiting.length > 0 && !waiting[0]!.overlaps && isIdle()) {
      void run(waiting.splice(0, groupMax), "alone");
    }
    if (waiting.length === 0 && isIdle()) for (const resolve of idlers.splice(0)) resolve();
  }

  return {
    submit: (operation) =>
      new Promise((resolve, reject) => {
        const overlaps = store.overlaps?.(operation) ?? false;
        waiting.push({ operation, overlaps, resolve, reject });
        if (isStarting) return;
        isStarting = true;
        afterTick(() => {
          isStarting = false;
          start();
        });
      }),
    idle: () =>
      waiting.length === 0 && isIdle()
        ? Promise.resolve()
        : new Promise((resolve) => idlers.push(resolve)),
  };
}
