import { openExistingQueue } from "../../../app/index.ts";
import { usageError } from "../../../base/usage-error.ts";
import { auditedQueue, raiseTask } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { parseId, parsePriority } from "./parts/filters.ts";

export const queueRaise: Command = {
  needs: "settings",
  arguments: [{ name: "id", summary: "the task's number, as `queue list` shows it" }],
  options: [
    {
      flag: "--priority",
      value: "0-1000",
      summary: "higher runs first; a lower one changes nothing",
    },
    { flag: "--now", summary: "do not wait until it is due" },
  ],
  examples: [
    { line: "forager queue raise 42 --priority 900", summary: "run it before others" },
    {
      line: "forager queue raise 42 --now",
      summary: "run it without waiting for its next attempt",
    },
  ],
  details: [
    "Only a pending task changes. It may still wait for other reasons: a paused job, its host, busy workers.",
  ],

  async run(context) {
    const { args, flags, out } = context;
    const id = parseId("queue raise", args[0]!);
    const priority = textFlag(flags, "priority");
    const isDueNow = flags["now"] === true;
    if (priority === undefined && !isDueNow) {
      throw usageError("queue raise needs --priority or --now");
    }
    const wanted = { priority: priority === undefined ? 0 : parsePriority(priority), isDueNow };
    await using queue = await openExistingQueue(context);
    await using _state = await context.recordState(() => auditedQueue.task(queue, id));
    const isChanged = await raiseTask(queue, id, wanted);
    out.result(
      { id, isChanged },
      isChanged
        ? `task ${id} can run sooner`
        : `task ${id} did not change: it is not pending, or it already runs as soon as you asked`,
    );
  },
};
