import type * as z from "zod";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { mergeDuplicates } from "../../records/index.ts";
import type { recordMergeRoutes } from "../contract/records/record-merge-routes.ts";

export type ResolveValue = z.output<(typeof recordMergeRoutes)["showResolve"]["answer"]>;

type Merge = (options: { readonly onMerged: () => void }) => ReturnType<typeof mergeDuplicates>;

/**
 * Merges what is certainly the same. Of many companies that takes longer than a request may: it begins,
 * and its progress is asked for. One at a time; the last one is remembered until the server stops.
 */
export interface ResolveRun {
  show(): ResolveValue;
  begin(how: { readonly by: string; readonly isDryRun: boolean; readonly merge: Merge }): ResolveValue; // prettier-ignore
}

export function createResolveRun({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: Logger;
}): ResolveRun {
  // prettier-ignore
  let last: ResolveValue = { state: "none", by: "", atMs: 0, isDryRun: false, merged: 0, left: null, fault: null }; // prettier-ignore
  const update = (change: Partial<ResolveValue>) => void (last = { ...last, ...change });
  return {
    show: () => last,
    begin({ by, isDryRun, merge }) {
      if (last.state === "running") {
        const message = `${last.by} has begun to merge companies: GET /api/records/resolve shows how far it is`;
        throw new AppError("conflict", "resolve_busy", message);
      }
      last = { state: "running", by, atMs: clock.nowMs(), isDryRun, merged: 0, left: null, fault: null }; // prettier-ignore
      const onMerged = () => update({ merged: last.merged + 1 });
      merge({ onMerged }).then(
        ({ merged, left }) => update({ state: "done", merged, left }),
        (error: unknown) => {
          const isKnown = error instanceof AppError && error.kind !== "internal";
          if (!isKnown) log.error("companies could not be merged", { error });
          const fault = isKnown ? error.message : "something went wrong here; the log says what";
          update({ state: "failed", fault });
        },
      );
      return last;
    },
  };
}
