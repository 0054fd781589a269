import { openOrMakeQueue } from "../../../app/index.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { runScheduleNow } from "../../../schedule/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { scheduleArgument } from "./schedule-argument.ts";

export const scheduleRunNow: Command = {
  needs: "settings",
  arguments: [scheduleArgument],
  examples: [
    {
      line: "forager schedule run-now leads",
      summary: "run it once, in addition to its occurrences",
    },
  ],
  details: ["Adds a task to the queue, and a worker runs it. Also works for a paused schedule."],

  async run(context) {
    const { args, out, clock, settings, paths } = context;
    const [name = ""] = args;
    await using node = await openNodeOf(context);
    await using queue = await openOrMakeQueue({ settings, paths, wake: node.wake });
    const place = { ledger: node.ledger, clock };
    const run = await asUsage(() => runScheduleNow(place, queue, name), ["no_schedule"]);
    const text = `added as task ${run.task}: \`forager schedule show ${name}\` shows the result`;
    out.result({ name, ...run }, text);
  },
};
