import { openExistingQueue } from "../../../app/index.ts";
import { sitePageKind } from "../../../site-crawl/index.ts";
import {
  auditedQueue,
  searchTasks,
  type Queue,
  type TaskPage,
  type TerminalState,
} from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { changeFinished } from "./parts/change-finished.ts";
import { errorOption } from "./parts/filters.ts";
import { finishedBefore, finishedOptions, readFinishedFlags, type FinishedFlags } from "./parts/finished-filter.ts"; // prettier-ignore

const retryable: readonly TerminalState[] = ["failed", "skipped"];

export const queueRetry: Command = {
  needs: "settings",
  options: [...finishedOptions(retryable, "failed"), errorOption],
  examples: [
    { line: "forager queue retry --job nightly", summary: "retry its failed tasks, after asking" },
    { line: "forager queue retry --id 42 --id 43", summary: "these two" },
    {
      line: "forager queue retry --gate example.org --older-than 1d --yes",
      summary: "retry tasks that failed more than a day ago, in a script",
    },
    {
      line: "forager queue retry --error 'overpass answered 429' --yes",
      summary: "a group of `forager queue failures`",
    },
    { line: "forager queue retry --dry-run", summary: "show how many would be retried" },
  ],
  details: [
    "Pages of a crawl (kind site-page) are fetched by `forager crawl --resume`, not by `forager work`.",
    "They get all their attempts again and keep their history; a job that had ended is\n" +
      "open again. It asks first if there is more than one task.",
  ],

  async run(context) {
    const { flags } = context;
    const { states = ["failed"], olderThanMs, rest } = readFinishedFlags(flags, retryable);
    await using queue = await openExistingQueue(context);
    await using _state = await context.recordState(() => auditedQueue.counts(queue));
    const error = textFlag(flags, "error");
    const byError =
      error === undefined ? {} : { ids: await idsWith(queue, { error, rest, states }) };
    const filter = { ...rest, states, ...byError, ...(await finishedBefore(queue, olderThanMs)) };
    if (byError.ids?.length === 0) {
      return context.out.result({ changed: 0 }, "no task has this error: nothing was changed");
    }
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
      context.out.note("pages of a crawl wait: continue with `forager crawl --resume`");
    return outcome;
  },
};

interface ErrorFilter {
  readonly error: string;
  readonly rest: FinishedFlags["rest"];
  readonly states: readonly TerminalState[];
}

/** The ids of the tasks with this error; they are counted, confirmed and changed by id. */
async function idsWith(queue: Queue, { error, rest, states }: ErrorFilter): Promise<number[]> {
  const { ids: chosen, ...lane } = rest;
  const found: number[] = [];
  let afterId: number | undefined = 0;
  while (afterId !== undefined && found.length < idsMax) {
    const page: TaskPage = await searchTasks(queue, {
      ...lane,
      states,
      error,
      afterId,
      limit: 500,
    });
    found.push(...page.tasks.map(({ id }) => id));
    afterId = page.nextId;
  }
  return found.filter((id) => chosen?.includes(id) ?? true).slice(0, idsMax);
}

/** If there are more, the user runs the command again. */
const idsMax = 10_000;
