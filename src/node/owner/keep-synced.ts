import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import type { LedgerSync } from "../../ledger/index.ts";

export interface KeepSyncedOptions {
  readonly sync: Pick<LedgerSync, "sync" | "push">;
  /** How many own datagrams are not in the bucket. Makes no request. */
  readonly unpublished: () => number;
  /** Whether requests cost nothing, as those to a folder: then it syncs as often as useful. */
  readonly isFree: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called after each attempt: whether the bucket was reached. */
  readonly onAttempt?: (isReached: boolean) => void;
}

export interface KeepSynced extends Service {
  /** Uploads what is new here and fetches what is new there, now. Rejects if it cannot. */
  syncNow(): Promise<void>;
}

/** How often to check for unpublished datagrams: that check is local and costs nothing. */
const tickMs = 1_000;
/** The shortest time between two uploads, and between two fetches. */
export const syncMsMin = 10_000;
/** The longest time between two fetches if nothing new comes: a listing costs, $0.03 a month. */
export const syncMsMax = 420_000;
/**
 * The time between two checks for a newer checkpoint; one that is needed earlier is fetched then.
 */
const adoptMs = 3_600_000;

/**
 * Keeps a ledger and a bucket in sync. A failure is logged once and retried later: a node that
 * cannot reach its bucket continues to work.
 */
export function keepSynced(options: KeepSyncedOptions): KeepSynced {
  const { sync, unpublished, isFree, clock, random, log, onAttempt = () => {} } = options;
  let timer: Timer | undefined;
  let isStopped = false;
  let isFailing = false;
  let pullMs = syncMsMin;
  let [pulledAtMs, pushedAtMs, adoptedAtMs] = [-Infinity, -Infinity, -Infinity];
  let work: Promise<void> = Promise.resolve();

  const syncOnce = async () => {
    const startMs = clock.monotonicMs();
    const isLight = startMs - adoptedAtMs < adoptMs;
    const { pulled, published, adopted, faults } = await sync.sync({ isLight });
    if (!isLight) adoptedAtMs = startMs;
    [pulledAtMs, pushedAtMs] = [startMs, startMs];
    const isNews = pulled > 0 || adopted !== undefined;
    const nextMs = isNews || isFree ? syncMsMin : Math.min(syncMsMax, pullMs * 2);
    pullMs = nextMs * (0.9 + random.next() / 10); // jitter: not all nodes of a fleet at once
    for (const fault of faults) log.error("the ledger has failed", { fault });
    if (published > 0 || isNews) log.debug("synced with the bucket", { published, pulled });
  };
  const pushOnce = async () => {
    pushedAtMs = clock.monotonicMs();
    await sync.push();
  };
  const attempt = async (what: () => Promise<void>) => {
    try {
      await what();
      if (isFailing) log.info("the bucket is reached again");
      isFailing = false;
      onAttempt(true);
    } catch (error) {
      if (!isFailing)
        log.warn("the bucket cannot be reached: changes stay on this node", { error });
      isFailing = true;
      onAttempt(false);
      [pulledAtMs, pushedAtMs] = [clock.monotonicMs(), clock.monotonicMs()];
    }
  };
  const look = async () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - pulledAtMs >= pullMs) await attempt(syncOnce);
    else if (unpublished() > 0 && nowMs - pushedAtMs >= syncMsMin) await attempt(pushOnce);
  };
  const arm = () => {
    if (isStopped) return;
    timer = clock.setTimer(tickMs, () => void inTurn(look).then(arm), { background: true });
  };
  const inTurn = <T>(what: () => Promise<T>): Promise<T> => {
    const mine = work.then(what);
    work = mine.then(
      () => {},
      () => {},
    );
    return mine;
  };

  return {
    async start() {
      await inTurn(() => attempt(syncOnce));
      arm();
    },
    async stop() {
      if (isStopped) return work;
      isStopped = true;
      timer?.cancel();
      await work;
      // A last upload, so that others need not wait until this machine starts again.
      if (!isFailing && unpublished() > 0) await inTurn(() => attempt(pushOnce));
    },
    syncNow: () => inTurn(syncOnce),
  };
}
