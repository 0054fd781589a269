import { openExistingQueue } from "../../app/index.ts";
import { sitePageKind } from "../../campaign/index.ts";
import type { TerminalState } from "../../queue/index.ts";
import type { Command } from "../command.ts";
import { changeFinished } from "./queue/change-finished.ts";
import { finishedBefore, finishedOptions, readFinishedFlags } from "./queue/finished-filter.ts";

const retryable: readonly TerminalState[] = ["failed", "skipped"];

export const queueRetry: Command = {
  needs: "settings",
  options: finishedOptions(retryable, "failed"),
  examples: [
    { line: "forager queue retry --job nightly", summary: "all that failed, after asking" },
    { line: "forager queue retry --id 42 --id 43", summary: "these two" },
    {
      line: "forager queue retry --gate example.org --older-than 1d --yes",
      summary: "what failed there before today, in a script",
    },
    { line: "forager queue retry --dry-run", summary: "how many would be tried again?" },
  ],
  details: [
    "Pages of a crawl (kind site-page) are done by `forager crawl --resume`, not by `forager work`.",
    "They get all their attempts anew and keep the history of the old ones; a job that had ended is\n" +
      "open again. More than one task is asked about first.",
  ],

  async run(context) {
    const { flags } = context;
    const { states = ["failed"], olderThanMs, rest } = readFinishedFlags(flags, retryable);
    await using queue = await openExistingQueue(context);
    const filter = { ...rest, states, ...(await finishedBefore(queue, olderThanMs)) };
    const outcome = await changeFinished(context, {
      queue,
      filters: [filter],
      isDryRun: flags["dryRun"] === true,
      words: {
        label: "retry",
        plan: (tasks) => `make ${tasks} (${states.join(", ")}) pending again`,
        result: (tasks) => `made ${tasks} pending again`,
      },
      mustAsk: (count) => count > 1,
      change: (one, onProgress) => queue.retry(one, onProgress),
    });
    const pages = (await queue.stats()).kinds.find(({ kind }) => kind === sitePageKind);
    if (pages && pages.pending > 0)
      context.out.note("pages of a crawl wait: go on with `forager crawl --resume`");
    return outcome;
  },
};
