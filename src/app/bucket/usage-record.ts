import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { addUsage, type DayUsage, type Meter, type UsageStore } from "../../bucket/index.ts";
import type { Paths } from "../../config/index.ts";
import { processMeter } from "./open-bucket.ts";

export interface UsageRecordOptions {
  readonly paths: Pick<Paths, "root" | "resolve">;
  readonly clock: Clock;
  readonly log: Logger;
  /** The counter; default: all requests of this process. */
  readonly meter?: Meter;
}

/** How often a process that sends many requests stores its counts. */
export const storeEveryMs = 60_000;
/** A process with fewer requests that are not stored waits up to `storeWithinMs`. */
export const manyRequests = 1_000;
export const storeWithinMs = 3_600_000;

/**
 * Adds the requests of this process to the counts of its data folder: at most once a minute, and
 * when the returned object is disposed. A process that sends few requests, such as an idle node,
 * stores its counts every hour. A process that sends none stores nothing. If a process is killed,
 * it loses the counts of its last minute, and of fewer than 1,000 earlier requests. A missing data
 * folder is not created, and a read-only one is not written to. If the counts cannot be stored, a
 * warning is logged and they are stored with the next ones.
 */
export function openUsageRecord(options: UsageRecordOptions): AsyncDisposable {
  const { paths, clock, log, meter = processMeter } = options;
  let waiting = new Map<string, DayUsage>();
  let requests = 0;
  let sinceMs = 0;
  let timer: Timer | undefined;
  let problem = "";

  async function store(): Promise<void> {
    if (waiting.size === 0 || !mayWrite(paths)) return;
    const rows = waiting;
    waiting = new Map();
    requests = 0;
    try {
      const file = usageFile(paths);
      makeFolder(dirname(file), { mode: 0o700 });
      (await openStore(file, { clock, log })).add([...rows.values()]);
      problem = "";
    } catch (error) {
      for (const row of rows.values()) keep(row);
      const text = error instanceof Error ? error.message : String(error);
      if (text !== problem) log.warn("bucket requests could not be counted on disk", { error });
      problem = text;
    }
  }

  function keep(row: DayUsage): void {
    const key = `${row.day} ${row.caller} ${row.operation}`;
    const known = waiting.get(key);
    waiting.set(key, known ? { ...known, ...addUsage(known, row) } : row);
    requests += row.requests;
  }

  function look(): void {
    timer = undefined;
    const isTime = requests >= manyRequests || clock.monotonicMs() - sinceMs >= storeWithinMs;
    if (!isTime) return wait();
    void store().then(() => waiting.size > 0 && wait());
  }
  function wait(): void {
    timer ??= clock.setTimer(storeEveryMs, look, { background: true });
  }

  const stop = meter.follow((caller, operation, used) => {
    if (waiting.size === 0) sinceMs = clock.monotonicMs();
    keep({ day: dayOf(clock.nowMs()), caller, operation, ...used });
    wait();
  });
  return {
    async [Symbol.asyncDispose]() {
      stop();
      timer?.cancel();
      await store();
    },
  };
}

/** The sums over all processes of a data folder, from this day on (UTC). */
export async function readUsage(
  fromDay: string,
  { paths, clock, log }: UsageRecordOptions,
): Promise<readonly DayUsage[]> {
  const file = usageFile(paths);
  return existsSync(file) ? (await openStore(file, { clock, log })).read(fromDay) : [];
}

export const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

const usageFile = (paths: Pick<Paths, "resolve">) => paths.resolve("node", "usage.db");

/** False if this process must not write to the data folder, for example to a read-only copy of it. */
function mayWrite(paths: Pick<Paths, "root" | "resolve">): boolean {
  const existing = [usageFile(paths), paths.resolve("node"), paths.root()].find(existsSync);
  try {
    if (existing !== undefined) accessSync(existing, constants.W_OK);
    return existing !== undefined;
  } catch {
    return false;
  }
}

/** Loaded on first use, because most commands send no request to a bucket. */
async function openStore(
  file: string,
  { clock, log }: Pick<UsageRecordOptions, "clock" | "log">,
): Promise<UsageStore> {
  const { createSqliteUsageStore } =
    await import("../../bucket/adapters/sqlite/sqlite-usage-store.ts");
  return createSqliteUsageStore({
    file,
    clock,
    onDamaged: (path) =>
      log.error("the counts of bucket requests were damaged and start again from zero", {
        keptAs: path,
      }),
  });
}
