import { openExistingQueue } from "../../../app/index.ts";
import type { Settings } from "../../../config/index.ts";
import { auditedQueue, type Queue, type TerminalState } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import { changeFinished, type FinishedSelection } from "./parts/change-finished.ts";
import { finishedBefore, finishedOptions, readFinishedFlags } from "./parts/finished-filter.ts";
import type { FinishedFlags } from "./parts/finished-filter.ts";

const finished: readonly TerminalState[] = ["done", "skipped", "failed"];
const dayMs = 86_400_000;

export const queuePurge: Command = {
  needs: "settings",
  options: finishedOptions(finished, "done, skipped; with --id any"),
  examples: [
    { line: "forager queue purge", summary: "tasks that the settings no longer keep" },
    {
      line: "forager queue purge --older-than 7d --job nightly",
      summary: "old done and skipped tasks",
    },
    { line: "forager queue purge --state failed --yes", summary: "failed tasks, in a script" },
    { line: "forager queue purge --dry-run", summary: "show how many would be purged" },
  ],
  details: [
    "A purged task cannot be shown or retried any more; its entry stays in `queue log`. Its key is free:\n" +
      "adding it again is not a duplicate. Failed tasks go only with --state failed or --id. It always asks\n" +
      "first.",
    "Without any filter it does what `forager work` does automatically: tasks older than\n" +
      "queue.keepDoneDays (done, skipped) or queue.keepFailedDays (failed) move into the log, and keys\n" +
      "stay reserved until they are older than queue.keepKeysDays.",
  ],

  async run(context) {
    const { flags } = context;
    const wanted = readFinishedFlags(flags, finished);
    await using queue = await openExistingQueue(context);
    await using _state = await context.recordState(() => auditedQueue.counts(queue));
    const isDryRun = flags["dryRun"] === true;
    const isByHand = hasFilter(wanted);
    const filters = isByHand
      ? [await toFilter(queue, wanted)]
      : await retentionFilters(queue, context.settings);
    const outcome = await changeFinished(context, {
      queue,
      filters,
      isDryRun,
      reachesLog: true,
      words: isByHand ? purgeWords : archiveWords,
      // Purging also frees the keys of tasks in the log, even if no row matches.
      mustAsk: (count) => isByHand || count > 0,
      change: (one, onProgress) =>
        isByHand ? queue.purge(one, onProgress) : queue.archive(one, onProgress),
    });
    if (outcome !== undefined || isDryRun) return outcome;
    // Also if there was no row to purge: the tasks may have moved to the log already.
    const { keepKeysDays } = context.settings.queue;
    const freed = isByHand
      ? filters
      : [{ states: finished, ...(await finishedBefore(queue, keepKeysDays * dayMs)) }];
    for (const filter of freed) await queue.forgetKeys(filter);
  },
};

const purgeWords = {
  label: "purge",
  plan: (tasks: string) => `purge ${tasks} and free their keys and those of such tasks in the log`,
  result: (tasks: string) => `purged ${tasks}`,
};
const archiveWords = {
  label: "archive",
  plan: (tasks: string) => `move ${tasks} into the log, keys stay reserved`,
  result: (tasks: string) => `moved ${tasks} into the log`,
};

const hasFilter = ({ states, olderThanMs, rest }: FinishedFlags): boolean =>
  states !== undefined || olderThanMs !== undefined || Object.keys(rest).length > 0;

async function toFilter(
  queue: Queue,
  { states, olderThanMs, rest }: FinishedFlags,
): Promise<FinishedSelection> {
  const fallback: readonly TerminalState[] = rest.ids ? finished : ["done", "skipped"];
  const before = await finishedBefore(queue, olderThanMs);
  return { ...rest, ...before, states: states ?? fallback };
}

const retentionFilters = (
  queue: Queue,
  settings: Settings,
): Promise<readonly FinishedSelection[]> =>
  Promise.all(
    [
      { states: ["done", "skipped"] as const, ageMs: settings.queue.keepDoneDays * dayMs },
      { states: ["failed"] as const, ageMs: settings.queue.keepFailedDays * dayMs },
    ].map(async ({ states, ageMs }) => ({ states, ...(await finishedBefore(queue, ageMs)) })),
  );
