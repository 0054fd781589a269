import * as z from "zod";
import type { TaskInput } from "../queue/index.ts";
import { mergeDuplicates, type MergingRecords } from "../records/index.ts";
import { defineHandler, done, retry, type Handler } from "../worker/index.ts";

/**
 * Merges companies that are the same business but were created by several sources, or by two nodes
 * at once.
 */
export const resolveKind = "resolve";

export interface ResolveServices {
  readonly duplicates: MergingRecords;
  /** Whether tiles of a job are still waiting to be searched. */
  isDiscovering(job: string): Promise<boolean>;
}

/** Lower than all others, because it processes all companies at once. */
const resolvePriority = 10;

/** `round` distinguishes the passes: adding the same pass again does nothing. */
export const resolveTask = (job: string, round: string): TaskInput => ({
  kind: resolveKind,
  job,
  key: `${resolveKind} ${round}`,
  priority: resolvePriority,
  attemptsMax: 1_000,
  payload: {},
});

/** Wait for the tiles that are still being searched; otherwise their companies would be missed. */
const waitMs = (attempt: number): number => Math.min(120_000, 500 * 2 ** Math.min(attempt, 8));

export function createResolveHandler(): Handler<ResolveServices> {
  return defineHandler<Record<string, never>, ResolveServices>(
    resolveKind,
    z.strictObject({}),
    async ({ task, services, signal, progress }) => {
      if (await services.isDiscovering(task.job)) {
        return retry("tiles are still being searched", { delayMs: waitMs(task.used) });
      }
      let count = 0;
      const onMerged = () => progress(`${++count} merged`);
      return done(await mergeDuplicates(services.duplicates, { signal, onMerged }));
    },
    { timeoutMs: 3_600_000 },
  );
}
