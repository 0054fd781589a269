import { listSchedules } from "../../../schedule/index.ts";
import type { Command } from "../../frame/command.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { queueOrNone } from "../queue/parts/queue-or-none.ts";
import { actionWords, runWords, timingWords } from "./schedule-words.ts";

export const scheduleList: Command = {
  needs: "settings",
  examples: [
    { line: "forager schedule list", summary: "all schedules with next run and last result" },
    { line: "forager schedule list --json", summary: "with the next three runs of each" },
  ],

  async run(context) {
    const { out, clock } = context;
    await using reader = await openReaderOf(context);
    await using queue = await queueOrNone(context);
    const rows = await listSchedules({ ledger: reader.ledger, queue, clock });
    if (rows.length === 0) {
      return out.result([], "there are no schedules: `forager schedule add NAME` adds one");
    }
    out.table(rows, [
      { title: "schedule", value: ({ name }) => name, isKey: true },
      { title: "does", value: ({ action }) => actionWords(action) },
      { title: "when", value: ({ timing }) => timingWords(timing) },
      {
        title: "next",
        value: ({ isPaused, next }) => (isPaused ? "paused" : (next[0] ?? "never")),
      },
      { title: "last", value: ({ last }) => runWords(last) },
    ]);
  },
};
