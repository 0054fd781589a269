import { openQueueToRead } from "../../../app/index.ts";
import { formatMoment } from "../../../base/text/format-time.ts";
import { groupFailures, type FailureGroup } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { laneOptions, readLaneFilter, requireJob } from "./parts/filters.ts";

export const queueFailures: Command = {
  needs: "settings",
  options: laneOptions,
  examples: [
    {
      line: "forager queue failures",
      summary: "show why tasks failed, the most frequent error first",
    },
    {
      line: "forager queue failures --kind enrich --json",
      summary: "{ groups, read, isComplete } for a program",
    },
  ],
  details: [
    "Errors that differ only in numbers, addresses and names form one group; … replaces these parts.\n" +
      "`forager queue list --state failed --error TEXT` lists the tasks of a group, and\n" +
      "`forager queue retry --error TEXT` tries them again. The newest 50,000 failed tasks are read.",
  ],

  async run(context) {
    const { out, flags, signal } = context;
    const filter = readLaneFilter(flags);
    await using queue = await openQueueToRead(context);
    if (filter.job !== undefined) await requireJob(queue, filter.job);
    const found = await groupFailures(queue, filter, signal);
    out.result(found, (layout) =>
      found.groups.length === 0
        ? "no task has failed: `forager queue stats` counts the tasks of all states"
        : layout.table(found.groups, columns),
    );
    if (!found.isComplete) out.note(`only the newest ${found.read} failed tasks were read`);
  },
};

const columns: readonly TableColumn<FailureGroup>[] = [
  { title: "tasks", value: ({ count }) => count },
  { title: "kind", value: ({ kind }) => kind },
  { title: "last", value: ({ lastAtMs }) => formatMoment(lastAtMs) },
  { title: "example", value: ({ exampleId }) => exampleId, isKey: true },
  { title: "error", value: ({ error }) => error, isNeverCut: true },
];
