import { asUsage } from "../../../base/usage-error.ts";
import { userName } from "../../../config/index.ts";
import { auditedSchedule, pauseSchedule } from "../../../schedule/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { scheduleArgument } from "./schedule-argument.ts";

export const scheduleResume: Command = {
  needs: "settings",
  arguments: [scheduleArgument],
  examples: [
    {
      line: "forager schedule resume austin-weekly",
      summary: "resume it; occurrences during the pause do not run",
    },
  ],

  async run(context) {
    const { args, out, clock } = context;
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(() =>
      auditedSchedule(node.ledger, args[0] ?? ""),
    );
    const place = { ledger: node.ledger, clock };
    const given = { isPaused: false, source: `hand:${userName()}` };
    const { name, isPaused } = await asUsage(() => pauseSchedule(place, args[0] ?? "", given));
    out.result({ name, isPaused }, `resumed ${name}, from now`);
  },
};
