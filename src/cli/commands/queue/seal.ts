import { openExistingQueue } from "../../../app/index.ts";
import { countTasks } from "../../../base/text/count-words.ts";
import { auditedQueue } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import { changeJob } from "./parts/change-job.ts";
import { checkInput } from "./parts/check-input.ts";

export const queueSeal: Command = {
  needs: "settings",
  arguments: [{ name: "job", summary: "the job, as `queue jobs` shows it" }],
  examples: [
    {
      line: "forager queue seal nightly",
      summary: "accept no more tasks: it completes when all are finished",
    },
  ],
  details: ["From then on only the job's own running tasks may add to it; others get `closed`."],

  async run(context) {
    const name = context.args[0]!;
    await checkInput(context.clock, (check) => void check.endingJob(name));
    await using queue = await openExistingQueue(context);
    await using _state = await context.recordState(() => auditedQueue.job(queue, name));
    const job = await changeJob(queue, name, () => queue.seal(name));
    const left = `${countTasks(job.pending)} pending, ${job.running} running`;
    const outcome = job.ended === "completed" ? "and has completed" : `and completes after ${left}`;
    context.out.result(job, `job '${name}' is sealed ${outcome}`);
  },
};
