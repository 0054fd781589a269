import { asUsage } from "../../../base/usage-error.ts";
import { userName } from "../../../config/index.ts";
import { auditedSchedule, removeSchedule } from "../../../schedule/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { scheduleArgument } from "./schedule-argument.ts";

export const scheduleRemove: Command = {
  needs: "settings",
  arguments: [scheduleArgument],
  examples: [{ line: "forager schedule remove leads", summary: "it does not run any more" }],
  details: ["Its results, and the log of its runs in the queue, are kept."],

  async run(context) {
    const { args, out } = context;
    const [name = ""] = args;
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(() => auditedSchedule(node.ledger, name));
    await asUsage(() => removeSchedule(node, name, `hand:${userName()}`));
    out.result({ name }, `removed schedule ${name}`);
  },
};
