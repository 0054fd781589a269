import { withDeadline } from "../../base/with-deadline.ts";
import { type Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { createMetrics, type MetricsSnapshot } from "../../base/metrics.ts";
import type { EndedCount, CrashedWork } from "./crash-record.ts";
import type { DeadProcess } from "./process-slot.ts";
import { createEndedCounter } from "../worker-metrics.ts";

/** Cleans up after processes that have died: ends their leases, and adds what they had counted. */
export interface DeadProcesses {
  /** `reported`: the counts in the last message of the process. */
  ended(process: DeadProcess, reported: MetricsSnapshot): void;
  /** Resolves when all leases are ended, or after a time limit. */
  settled(): Promise<void>;
  metrics(): MetricsSnapshot;
}

export interface DeadProcessesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A queue that does not answer must not prevent the supervisor from ending. */
const settleMsMax = 5_000;

export function createDeadProcesses({ clock, logger }: DeadProcessesOptions): DeadProcesses {
  const metrics = createMetrics();
  const ends = createEndedCounter(metrics);
  const pending = new Set<Promise<void>>();

  async function endAll({ inFlight: { worker }, endLeases }: DeadProcess): Promise<void> {
    try {
      const counts = await endLeases();
      for (const { kind, end, count } of counts) ends.of(kind, end).add(count);
      logger.info("released the leases of a dead worker process", { worker, tasks: counts });
    } catch (error) {
      const message = "the leases of a dead worker process could not be ended: they run out";
      logger.warn(message, { worker, error });
    }
  }

  return {
    ended(process, reported) {
      const { inFlight } = process;
      for (const { kind, end, count } of notReported(inFlight, reported)) {
        ends.of(kind, end).add(count);
      }
      if (inFlight.leases.length === 0 && !inFlight.claim) return;
      const work = endAll(process).finally(() => pending.delete(work));
      pending.add(work);
    },
    async settled() {
      if (pending.size === 0) return;
      await withDeadline(Promise.all(pending), { clock, ms: settleMsMax });
    },
    metrics: () => metrics.snapshot(),
  };
}

/** What the process has counted since its last message. */
function notReported({ ended }: CrashedWork, reported: MetricsSnapshot): readonly EndedCount[] {
  const family = reported.find(({ name }) => name === "forager_tasks_ended_total");
  const series = family?.series ?? [];
  // If a process has very many kinds, later ones are counted together as "other".
  const hasOther = series.some(({ values }) => values[0] === "other");
  return ended.flatMap(({ kind, end, count }) => {
    const known = series.find(({ values }) => values[0] === kind && values[1] === end);
    if (!known && hasOther) return [];
    const missing = count - (known?.value ?? 0);
    return missing > 0 ? [{ kind, end, count: missing }] : [];
  });
}
