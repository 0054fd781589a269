import { openExistingQueue } from "../../../app/index.ts";
import { countTasks } from "../../../base/text/count-words.ts";
import { auditedQueue } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import { changeJob } from "./parts/change-job.ts";

export const queuePause: Command = {
  needs: "settings",
  arguments: [{ name: "job", summary: "the job, as `queue jobs` shows it" }],
  examples: [
    {
      line: "forager queue pause nightly",
      summary: "start no more of its tasks; running ones end",
    },
    {
      line: "forager queue pause default",
      summary: "pause the tasks that were added without a job",
    },
  ],

  async run(context) {
    const name = context.args[0]!;
    await using queue = await openExistingQueue(context);
    await using _state = await context.recordState(() => auditedQueue.job(queue, name));
    const job = await changeJob(queue, name, () => queue.pause(name));
    const left = `${countTasks(job.pending)} pending, ${job.running} still running`;
    context.out.result(job, `job '${name}' is paused: ${left}`);
  },
};
