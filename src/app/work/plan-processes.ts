import type { Settings, SettingsMarks } from "../../config/index.ts";
import type { ProcessDesired } from "../../node/index.ts";
import type { Concurrency, ProcessSlot } from "../../worker/index.ts";
import { parsePools, toSlots, withWorkers, type Pool } from "./pools.ts";

/** Options of the command line for worker processes; they override the settings. */
export interface ProcessChoice {
  /** Only these kinds, in one pool. */
  readonly kinds?: readonly string[] | undefined;
  /** The number of processes per pool. */
  readonly processes?: number | undefined;
  readonly concurrency?: Concurrency | undefined;
}

export interface ProcessPlan {
  readonly settings: Pick<Settings, "work">;
  readonly marks: SettingsMarks;
}

function planPools({ work }: Pick<Settings, "work">, choice: ProcessChoice): readonly Pool[] {
  const { kinds, processes, concurrency } = choice;
  const pools = parsePools(work.pools);
  const chosen = kinds ? [{ ...pools[0]!, kinds }] : pools;
  return chosen.map((pool) => ({
    ...pool,
    ...(processes !== undefined && { processes }),
    ...(concurrency !== undefined && { concurrency }),
  }));
}

/** A worker process reads these settings when it starts, so a change needs a new process. */
const readAtStart = [
  "data",
  "log.",
  "queue.",
  "bucket.",
  "crawl.",
  "work.handlers",
  "work.graceMs",
];

/** The worker processes that should run, from settings, command line and desired state. */
export function planSlots(
  { settings, marks }: ProcessPlan,
  choice: ProcessChoice,
  desired: Pick<ProcessDesired, "state" | "workers"> | undefined,
): readonly ProcessSlot[] {
  if (desired && desired.state !== "working") return [];
  const version = JSON.stringify(
    [...marks].filter(([key]) => readAtStart.some((prefix) => key.startsWith(prefix))),
  );
  const workers = new Map(Object.entries(desired?.workers ?? {}));
  return toSlots(withWorkers(planPools(settings, choice), workers), version);
}
