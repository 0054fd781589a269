import { z } from "zod";
import type { TaskInput } from "../queue/index.ts";
import { mergeDuplicates, type MergingRecords } from "../records/index.ts";
import { defineHandler, done, type Handler } from "../worker/index.ts";

/** Merges companies that several sources, or two nodes at the same moment, made of one business. */
export const resolveKind = "resolve";

export interface ResolveServices {
  readonly duplicates: MergingRecords;
}

/** The last of what is waiting: it looks at all companies at once. */
const resolvePriority = 10;

/** `round` tells one pass from the next: the same one is added once. */
export const resolveTask = (job: string, round: string): TaskInput => ({
  kind: resolveKind,
  job,
  key: `${resolveKind} ${round}`,
  priority: resolvePriority,
  payload: {},
});

export function createResolveHandler(): Handler<ResolveServices> {
  return defineHandler<Record<string, never>, ResolveServices>(
    resolveKind,
    z.strictObject({}),
    async ({ services, signal, progress }) => {
      let count = 0;
      const onMerged = () => progress(`${++count} merged`);
      return done(await mergeDuplicates(services.duplicates, { signal, onMerged }));
    },
    { timeoutMs: 3_600_000 },
  );
}
