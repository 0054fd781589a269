import { openQueueToRead } from "../../../app/index.ts";
import { formatMoment } from "../../../base/text/format-time.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { LogEntry, TerminalState } from "../../../queue/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { allOption, emptyPageText, pageOption, readListPage } from "../../terminal/list-page.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { endedAll, endedAttempts, lastReason } from "../../../queue/index.ts";
import {
  laneOptions,
  readLaneFilter,
  readStates,
  requireJobOrEntry,
  stateOption,
} from "./parts/filters.ts";
import { pruneLog } from "./prune-log.ts";

const states: readonly TerminalState[] = ["done", "skipped", "failed"];

/** Lists finished tasks in the order in which they ended: those with a row, and log entries. */
export const queueLog: Command = {
  needs: "settings",
  arguments: [
    { name: "prune", summary: "remove old entries instead of showing them", isOptional: true },
  ],
  options: [
    stateOption(states, "all"),
    ...laneOptions,
    {
      flag: "--limit",
      value: "count",
      summary: "show at most this many, the newest",
      default: "all",
    },
    { ...pageOption, summary: "this page of --limit rows (or 50), from 1: the newest" },
    allOption,
    {
      flag: "--before",
      value: "moment",
      summary: "with prune: remove entries of tasks that finished before this, such as 365d",
    },
    { flag: "--yes", summary: "with prune: do not ask for confirmation" },
    { flag: "--dry-run", summary: "with prune: only count" },
  ],
  examples: [
    { line: "forager queue log --limit 20", summary: "the last 20 finished tasks" },
    {
      line: "forager queue log --state failed --json",
      summary: "failed tasks as JSON, with the reason of every attempt",
    },
    {
      line: "forager queue log prune --before 365d",
      summary: "remove entries of tasks that finished more than a year ago",
    },
  ],
  details: [
    "A finished task is kept for queue.keepDoneDays or queue.keepFailedDays. Then it moves into the log,\n" +
      "without payload and result. Only `queue log prune` removes log entries. The key of the task stays\n" +
      "reserved for queue.keepKeysDays.",
  ],

  async run(context) {
    const { args, flags } = context;
    const [action] = args;
    if (action !== undefined && action !== "prune") {
      throw usageError(`the only argument of queue log is prune, not '${action}'`);
    }
    const pruneFlags = ["before", "yes", "dryRun"].filter((name) => flags[name] !== undefined);
    if (action === undefined && pruneFlags.length > 0) {
      throw usageError("--before, --yes and --dry-run can only be used with `queue log prune`");
    }
    return action === "prune" ? pruneLog(context) : showLog(context);
  },
};

async function showLog(context: SettingsContext): Promise<void> {
  const { flags, out, signal } = context;
  const page = readListPage(flags, "all");
  const last = page.skip + page.limit;
  const filter = readLaneFilter(flags);
  await using queue = await openQueueToRead(context);
  if (filter.job !== undefined) await requireJobOrEntry(queue, filter.job);
  const query = { ...filter, states: readStates(flags, states) ?? states, last, signal };
  await out.list(
    withoutLast(
      endedAll((cursor) => queue.log(cursor), query),
      page.skip,
    ),
    {
      columns,
      empty: emptyPageText(page, "no task has ended, or none of those that match"),
      value: (entry) => ({ ...entry, attempts: endedAttempts(entry) }),
    },
  );
}

/**
 * Page numbers count from the newest task, but rows are shown in the order in which tasks ended.
 */
async function* withoutLast<T>(rows: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  const held: T[] = [];
  for await (const row of rows) {
    held.push(row);
    if (held.length > count) yield held.shift()!;
  }
}

const columns: readonly TableColumn<LogEntry>[] = [
  { title: "ended", value: (entry) => formatMoment(entry.finishedAtMs) },
  { title: "id", value: (entry) => entry.id, isKey: true },
  { title: "state", value: (entry) => entry.state },
  { title: "kind", value: (entry) => entry.kind },
  { title: "job", value: (entry) => entry.job },
  { title: "gate", value: (entry) => entry.gate },
  { title: "key", value: (entry) => entry.key, isKey: true },
  { title: "tries", value: (entry) => `${entry.used}/${entry.attemptsMax}` },
  { title: "last reason", value: lastReason },
];
