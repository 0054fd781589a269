import type { LogEntry, TerminalState } from "../../queue/index.ts";
import type { Command, SettingsContext } from "../command.ts";
import { formatMoment } from "../duration.ts";
import { parseCount, textFlag } from "../flags.ts";
import type { Column } from "../table.ts";
import { usageError } from "../usage-error.ts";
import { endedAll } from "./queue/browse-all.ts";
import {
  laneOptions,
  noSuchJob,
  readLaneFilter,
  readStates,
  stateOption,
} from "./queue/filters.ts";
import { openExistingQueue } from "./queue/open-queue.ts";
import { pruneLog } from "./queue/prune-log.ts";

const states: readonly TerminalState[] = ["done", "skipped", "failed"];

/** What has ended, in the order in which it did: tasks that still have a row, and the log. */
export const queueLog: Command = {
  needs: "settings",
  arguments: [
    { name: "prune", summary: "remove old entries instead of showing them", isOptional: true },
  ],
  options: [
    stateOption(states, "all"),
    ...laneOptions,
    { flag: "--limit", value: "count", summary: "only the last so many", default: "all" },
    {
      flag: "--before",
      value: "moment",
      summary: "with prune: what finished before, such as 365d",
    },
    { flag: "--yes", summary: "with prune: do not ask" },
    { flag: "--dry-run", summary: "with prune: only count" },
  ],
  examples: [
    { line: "forager queue log --limit 20", summary: "what ended last" },
    {
      line: "forager queue log --state failed --json",
      summary: "with every reason, for a program",
    },
    {
      line: "forager queue log prune --before 365d",
      summary: "remove what finished more than a year ago from the log",
    },
  ],
  details: [
    "A finished task is kept for queue.keepDoneDays or queue.keepFailedDays. Then its entry, without\n" +
      "payload and result, moves into the log, which only `queue log prune` makes shorter. Its key stays\n" +
      "reserved for queue.keepKeysDays.",
  ],

  async run(context) {
    const { args, flags } = context;
    const [action] = args;
    if (action !== undefined && action !== "prune") {
      throw usageError(`queue log takes the word prune or nothing, not '${action}'`);
    }
    const pruneFlags = ["before", "yes", "dryRun"].filter((name) => flags[name] !== undefined);
    if (action === undefined && pruneFlags.length > 0) {
      throw usageError("--before, --yes and --dry-run go with `queue log prune`");
    }
    return action === "prune" ? pruneLog(context) : showLog(context);
  },
};

async function showLog(context: SettingsContext): Promise<void> {
  const { flags, out, signal } = context;
  const limitText = textFlag(flags, "limit") ?? "all";
  const last = limitText === "all" ? Infinity : parseCount("limit", limitText);
  const filter = readLaneFilter(flags);
  await using queue = await openExistingQueue(context);
  const { job } = filter;
  if (job !== undefined && !(await queue.job(job))) {
    // A job may be gone, while its tasks are in the log.
    if ((await queue.log({ job, limit: 1 })).length === 0) throw await noSuchJob(queue, job);
  }
  const query = { ...filter, states: readStates(flags, states) ?? states, last, signal };
  await out.list(
    endedAll((page) => queue.log(page), query),
    { columns, value: (entry) => entry },
  );
}

const columns: readonly Column<LogEntry>[] = [
  { title: "ended", value: (entry) => formatMoment(entry.finishedAtMs) },
  { title: "id", value: (entry) => entry.id },
  { title: "state", value: (entry) => entry.state },
  { title: "kind", value: (entry) => entry.kind },
  { title: "job", value: (entry) => entry.job },
  { title: "gate", value: (entry) => entry.gate },
  { title: "key", value: (entry) => entry.key },
  { title: "tries", value: (entry) => `${entry.used}/${entry.attemptsMax}` },
  { title: "last reason", value: (entry) => entry.attempts.at(-1)?.reason ?? "" },
];
