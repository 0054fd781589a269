import type { Task, TerminalState } from "../../queue/index.ts";
import type { Command } from "../command.ts";
import { formatMoment } from "../duration.ts";
import { parseCount, textFlag } from "../flags.ts";
import type { Column } from "../table.ts";
import { endedAll } from "./queue/browse-all.ts";
import {
  laneOptions,
  readLaneFilter,
  readStates,
  requireJob,
  stateOption,
} from "./queue/filters.ts";
import { openExistingQueue } from "./queue/open-queue.ts";
import { taskValue } from "./queue/task-value.ts";

const states: readonly TerminalState[] = ["done", "skipped", "failed"];

/** What has ended, in the order in which it did: on a bucket this reads the logs of its shards. */
export const queueLog: Command = {
  needs: "settings",
  options: [
    stateOption(states, "all"),
    ...laneOptions,
    { flag: "--limit", value: "count", summary: "only the last so many", default: "all" },
  ],
  examples: [
    { line: "forager queue log --limit 20", summary: "what ended last" },
    {
      line: "forager queue log --state failed --json",
      summary: "with every reason, for a program",
    },
  ],

  async run(context) {
    const { flags, out, signal } = context;
    const limitText = textFlag(flags, "limit") ?? "all";
    const last = limitText === "all" ? Infinity : parseCount("limit", limitText);
    const filter = readLaneFilter(flags);
    await using queue = await openExistingQueue(context);
    if (filter.job !== undefined) await requireJob(queue, filter.job);
    const query = { ...filter, states: readStates(flags, states) ?? states, last, signal };
    await out.list(endedAll(queue, query), { columns, value: taskValue });
  },
};

const columns: readonly Column<Task>[] = [
  { title: "ended", value: (task) => formatMoment(task.finishedAtMs) },
  { title: "id", value: (task) => task.id },
  { title: "state", value: (task) => task.state },
  { title: "kind", value: (task) => task.kind },
  { title: "job", value: (task) => task.job },
  { title: "gate", value: (task) => task.gate },
  { title: "key", value: (task) => task.key },
  { title: "tries", value: (task) => `${task.used}/${task.attemptsMax}` },
  { title: "last reason", value: (task) => task.attempts.at(-1)?.reason ?? "" },
];
