import type { Settings } from "../../config/index.ts";
import type { Queue, TerminalState } from "../../queue/index.ts";
import type { Command, SettingsContext } from "../command.ts";
import { changeFinished, type FinishedFilter } from "./queue/change-finished.ts";
import { finishedBefore, finishedOptions, readFinishedFlags } from "./queue/finished-filter.ts";
import type { FinishedFlags } from "./queue/finished-filter.ts";
import { openExistingQueue } from "./queue/open-queue.ts";

const finished: readonly TerminalState[] = ["done", "skipped", "failed"];
const dayMs = 86_400_000;

export const queuePurge: Command = {
  needs: "settings",
  options: finishedOptions(finished, "done, skipped; with --id any"),
  examples: [
    { line: "forager queue purge", summary: "what the settings no longer keep" },
    { line: "forager queue purge --older-than 7d --job nightly", summary: "done or skipped, old" },
    { line: "forager queue purge --state failed --yes", summary: "dead letters, in a script" },
    { line: "forager queue purge --dry-run", summary: "how many would go?" },
  ],
  details: [
    "A purged task is gone and its key is free: adding it again is no duplicate. Without any filter\n" +
      "goes what is older than queue.keepDoneDays (done, skipped) or queue.keepFailedDays (failed).\n" +
      "With a filter, failed tasks go only with --state failed or --id. It always asks first.",
  ],

  async run(context) {
    const { flags } = context;
    const wanted = readFinishedFlags(flags, finished);
    await using queue = await openExistingQueue(context);
    return await changeFinished(context, {
      queue,
      filters: await toFilters(queue, context, wanted),
      isDryRun: flags["dryRun"] === true,
      words: {
        label: "purge",
        plan: (tasks) => `forget ${tasks}, keys and all`,
        result: (tasks) => `purged ${tasks}`,
      },
      mustAsk: () => true,
      change: (one, onProgress) => queue.purge(one, onProgress),
    });
  },
};

async function toFilters(
  queue: Queue,
  { settings }: SettingsContext,
  { states, olderThanMs, rest }: FinishedFlags,
): Promise<readonly FinishedFilter[]> {
  const hasFilter =
    states !== undefined || olderThanMs !== undefined || Object.keys(rest).length > 0;
  if (!hasFilter) {
    return Promise.all(
      retention(settings).map(async ({ ageMs, ...filter }) => ({
        ...filter,
        ...(await finishedBefore(queue, ageMs)),
      })),
    );
  }
  const fallback: readonly TerminalState[] = rest.ids ? finished : ["done", "skipped"];
  const before = await finishedBefore(queue, olderThanMs);
  return [{ ...rest, ...before, states: states ?? fallback }];
}

const retention = ({ queue }: Settings) => [
  { states: ["done", "skipped"] as const, ageMs: queue.keepDoneDays * dayMs },
  { states: ["failed"] as const, ageMs: queue.keepFailedDays * dayMs },
];
