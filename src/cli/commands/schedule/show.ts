import { formatDuration } from "../../../base/text/format-time.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { scheduleRunsMax, showSchedule, type ScheduleDetails } from "../../../schedule/index.ts";
import type { Command } from "../../frame/command.ts";
import type { Layout } from "../../terminal/output.ts";
import { parseCount, textFlag } from "../../options/flags.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { queueOrNone } from "../queue/parts/queue-or-none.ts";
import { scheduleArgument } from "./schedule-argument.ts";
import { actionWords, timingWords } from "./schedule-words.ts";

export const scheduleShow: Command = {
  needs: "settings",
  arguments: [scheduleArgument],
  options: [
    { flag: "--runs", value: "count", summary: `how many of the last occurrences, up to ${scheduleRunsMax}`, default: "20" }, // prettier-ignore
  ],
  examples: [
    {
      line: "forager schedule show austin-weekly",
      summary: "the next three runs, the last result, what was skipped and why",
    },
  ],

  async run(context) {
    const { out, clock, args, flags } = context;
    const runsMax = parseCount("runs", textFlag(flags, "runs") ?? "20");
    await using reader = await openReaderOf(context);
    await using queue = await queueOrNone(context);
    const place = { ledger: reader.ledger, queue, clock };
    const shown = await asUsage(() => showSchedule(place, args[0] ?? "", { runsMax }));
    out.result(shown, (layout) => describeSchedule(shown, layout));
  },
};

function describeSchedule(schedule: ScheduleDetails, layout: Layout): string {
  const { name, action, timing, missed, withinMs, overlap, isPaused, next, result, runs } =
    schedule;
  const lines = [
    `${name}: ${actionWords(action)}, ${timingWords(timing)}${isPaused ? ", paused" : ""}`,
    `missed = ${missed}, within = ${formatDuration(withinMs)}, overlap = ${overlap}`,
    `next: ${next.join(", ") || "none"}`,
    ...(result === null ? [] : [`last result: ${JSON.stringify(result)}`]),
  ];
  if (runs.length === 0) return [...lines, "it has not run yet"].join("\n");
  const table = layout.table(runs, [
    { title: "occurrence", value: ({ occurrence }) => occurrence },
    { title: "state", value: ({ state, isRunNow }) => (isRunNow ? `${state}, by hand` : state) },
    { title: "ended", value: ({ endedAt }) => endedAt },
    { title: "reason", value: ({ reason }) => reason ?? "" },
  ]);
  return [...lines, "", table].join("\n");
}
