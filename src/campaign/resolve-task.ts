import * as z from "zod";
import type { TaskInput } from "../queue/index.ts";
import { mergeDuplicates, type MergingRecords } from "../records/index.ts";
import { defineHandler, done, retry, type Handler } from "../worker/index.ts";

/** Merges companies that several sources, or two nodes at the same moment, made of one business. */
export const resolveKind = "resolve";

export interface ResolveServices {
  readonly duplicates: MergingRecords;
  /** Whether tiles of a job are still to be searched. */
  isDiscovering(job: string): Promise<boolean>;
}

/** The last of what is waiting: it looks at all companies at once. */
const resolvePriority = 10;

/** `round` tells one pass from the next: the same one is added once. */
export const resolveTask = (job: string, round: string): TaskInput => ({
  kind: resolveKind,
  job,
  key: `${resolveKind} ${round}`,
  priority: resolvePriority,
  attemptsMax: 1_000,
  payload: {},
});

/** It comes last: what the tiles that are still searched will bring would be missed. */
const waitMs = (attempt: number): number => Math.min(120_000, 500 * 2 ** Math.min(attempt, 8));

export function createResolveHandler(): Handler<ResolveServices> {
  return defineHandler<Record<string, never>, ResolveServices>(
    resolveKind,
    z.strictObject({}),
    async ({ task, services, signal, progress }) => {
      if (await services.isDiscovering(task.job)) {
        return retry("tiles are still searched", { delayMs: waitMs(task.used) });
      }
      let count = 0;
      const onMerged = () => progress(`${++count} merged`);
      return done(await mergeDuplicates(services.duplicates, { signal, onMerged }));
    },
    { timeoutMs: 3_600_000 },
  );
}
