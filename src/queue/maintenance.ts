import { every } from "../base/every.ts";
import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Service } from "../base/service.ts";
import type { Queue } from "./queue.ts";
import { upgradeUnfinishedCode } from "./queue-store.ts";
import type { TerminalState } from "./task.ts";

export interface MaintenanceOptions extends Retention {
  readonly queue: Pick<Queue, "sweep" | "archive" | "forgetKeys" | "now" | "netMs">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Retention {
  /** How long finished tasks are kept before they move into the log. */
  readonly keepDoneMs: number;
  readonly keepFailedMs: number;
  /** How long keys of finished tasks are reserved, and at least as long as the tasks are kept. */
  readonly keepKeysMs: number;
}

export interface Archived {
  readonly archived: number;
  readonly keysFreed: number;
  /** Tasks stay where they are until an upgrade is finished. */
  readonly isWaiting: boolean;
}

const waitingText =
  "finished tasks stay in the queue until the upgrade is finished: `forager fleet finish-upgrade`";

/** Moves old tasks into the log, unless an upgrade must be finished first, and frees old keys. */
export async function archiveOld(
  queue: Pick<Queue, "archive" | "forgetKeys" | "now">,
  { keepDoneMs, keepFailedMs, keepKeysMs }: Retention,
): Promise<Archived> {
  const { ms } = await queue.now();
  let isWaiting = false;
  const archive = (states: readonly TerminalState[], keepMs: number) =>
    queue.archive({ states, finishedBeforeMs: ms - keepMs }).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== upgradeUnfinishedCode) throw error;
      isWaiting = true;
      return 0;
    });
  const done = await archive(["done", "skipped"], keepDoneMs);
  const failed = await archive(["failed"], keepFailedMs);
  const states = ["done", "skipped", "failed"] as const;
  const keysFreed = await queue.forgetKeys({ states, finishedBeforeMs: ms - keepKeysMs });
  return { archived: done + failed, keysFreed, isWaiting };
}

/** Takes back leases of dead workers even if no worker claims. */
const sweepEveryMsDefault = 15_000;
/** If each request is paid for. Claims sweep too, and waiting workers know when a lease expires. */
const sweepEveryMsPaid = 120_000;
const archiveEveryMsDefault = 3_600_000;
/** If each request is paid for: archiving reads and writes whole logs. */
const archiveEveryMsPaid = 86_400_000;
/** The most sweeps in one tick; the next tick continues. */
const sweepsMax = 100;

/**
 * Regular maintenance of a queue: takes back expired leases, moves old finished tasks into the log,
 * and frees reserved keys. Several processes may do it at the same time. A failure is logged, and
 * the next tick tries again.
 */
export function createMaintenance(options: MaintenanceOptions): Service {
  const { queue, clock, logger, keepDoneMs, keepFailedMs, keepKeysMs } = options;
  const archiveEveryMs = queue.netMs === undefined ? archiveEveryMsDefault : archiveEveryMsPaid;
  const sweepEveryMs = queue.netMs === undefined ? sweepEveryMsDefault : sweepEveryMsPaid;
  let archivedAtMs = -Infinity;

  async function sweepAll(signal: AbortSignal): Promise<void> {
    for (let count = 0; count < sweepsMax && !signal.aborted; count++) {
      if (!(await queue.sweep()).hasMore) return;
    }
  }

  async function tick(signal: AbortSignal): Promise<void> {
    await sweepAll(signal);
    if (clock.monotonicMs() - archivedAtMs < archiveEveryMs || signal.aborted) return;
    const startedAtMs = clock.monotonicMs();
    const { isWaiting } = await archiveOld(queue, { keepDoneMs, keepFailedMs, keepKeysMs });
    if (isWaiting) logger.warn(waitingText);
    archivedAtMs = startedAtMs;
  }

  return every(tick, {
    clock,
    pauseMs: sweepEveryMs,
    onError: (error) => logger.warn("queue maintenance failed; retrying", { error }),
  });
}
