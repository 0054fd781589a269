import { sleep, systemClock } from "../../../../base/clock.ts";
import { systemRandom } from "../../../../base/random.ts";
import { retry } from "../../../../base/retry.ts";
import { createQueue } from "../../../create-queue.ts";
import type { Queue } from "../../../queue.ts";
import { openPostgresQueueStore, type PostgresQueueStoreOptions } from "../postgres-queue-store.ts";

export interface StormOptions {
  /** The store of the workers and the feeder, whose connection is disturbed. */
  readonly store: PostgresQueueStoreOptions;
  readonly strikes: number;
  readonly strike: (index: number) => Promise<void>;
  readonly workers?: number;
  readonly leaseMs?: number;
}

/** Counted from the answers that the workers and the feeder got, not by the queue. */
export interface StormOutcome {
  /** Keys whose add was acknowledged. */
  readonly added: number;
  /** Those that no worker finished, according to the answers. */
  readonly lost: readonly string[];
  /** Keys that two claims finished, according to the answers. */
  readonly doneTwice: readonly string[];
  /** Finishes with the answer `lost`: another worker had the task by then. */
  readonly late: number;
  /** Calls that failed and were repeated, by the code of the failure. */
  readonly failures: Readonly<Record<string, number>>;
  readonly strikes: number;
}

/**
 * Adds tasks and works on them during all faults; then adds nothing more, and waits until all added
 * tasks are done. It ends after a number of faults: a slow machine takes longer, but sees as many.
 */
export async function weatherStorm(options: StormOptions): Promise<StormOutcome> {
  const { strikes, strike, workers = 4 } = options;
  const failures: Record<string, number> = {};
  /** Retries like a worker: repeats an unavailable call with the same request. */
  const persist = <T>(work: () => Promise<T>): Promise<T> =>
    retry(
      () =>
        work().catch((error: unknown) => {
          const { code = "none" } = error as { readonly code?: string };
          failures[code] = (failures[code] ?? 0) + 1;
          throw error;
        }),
      { clock: systemClock, random: systemRandom, attempts: 300, delayMs: 20, delayMsMax: 300 },
    );
  const open = () =>
    persist(async () =>
      createQueue({
        store: await openPostgresQueueStore({ connectMs: 3_000, ...options.store }),
        clock: systemClock,
        random: systemRandom,
      }),
    );
  const queues = await Promise.all(Array.from({ length: workers + 1 }, open));
  const [feeder, ...others] = queues as [Queue, ...Queue[]];
  const added = new Set<string>();
  const tokensByKey = new Map<string, Set<number>>();
  let late = 0;
  let isStormOver = false;
  let isFed = false;
  let hasFailed = false;

  async function feed(): Promise<void> {
    for (let round = 0; !isStormOver && !hasFailed; round++) {
      const tasks = Array.from({ length: 20 }, (_, index) => ({
        kind: "work",
        key: `${round}-${index}`,
        attemptsMax: 1_000,
        ...(index % 2 === 0 ? { gate: `g${index}` } : {}),
      }));
      await persist(() => feeder.add(tasks));
      for (const { key } of tasks) added.add(key);
      await sleep(systemClock, 20);
    }
    isFed = true;
  }

  async function work(queue: Queue, worker: string): Promise<void> {
    const { leaseMs = 5_000 } = options;
    for (let turn = 0; !hasFailed; turn++) {
      const request = {
        worker,
        kinds: ["work"],
        limit: 10,
        leaseMs,
        requestId: `${worker}-${turn}`,
      };
      const wasFed = isFed;
      const { leases } = await persist(() => queue.claim(request));
      if (leases.length === 0) {
        const { pending, running } = (await persist(() => queue.stats())).states;
        if (wasFed && pending + running === 0) return;
        await sleep(systemClock, 10);
        continue;
      }
      const finishes = leases.map(({ id, token }) => ({
        id,
        token,
        outcome: { kind: "done" as const },
      }));
      const answers = await persist(() => queue.finish(finishes));
      answers.forEach(({ status }, index) => {
        const { key, token } = leases[index]!;
        if (status === "done") tokensByKey.set(key, (tokensByKey.get(key) ?? new Set()).add(token));
        else late += 1;
      });
    }
  }

  async function storm(): Promise<void> {
    for (let index = 0; index < strikes && !hasFailed; index++) {
      await strike(index);
      await sleep(systemClock, 100);
    }
    isStormOver = true;
  }

  const parts = [feed(), storm(), ...others.map((queue, index) => work(queue, `w${index}`))];
  for (const part of parts) part.catch(() => void (hasFailed = true));
  await Promise.all(parts);
  for (const queue of queues) await queue[Symbol.asyncDispose]();
  return {
    added: added.size,
    lost: [...added].filter((key) => !tokensByKey.has(key)),
    doneTwice: [...tokensByKey].filter(([, tokens]) => tokens.size > 1).map(([key]) => key),
    late,
    failures,
    strikes,
  };
}

/** The expected outcome of every storm. */
export const unharmed = { lost: [], doneTwice: [] };
