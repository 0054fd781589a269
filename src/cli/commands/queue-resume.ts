import { openExistingQueue } from "../../app/index.ts";
import { countTasks } from "../../base/count-words.ts";
import type { Command } from "../command.ts";
import { changeJob } from "./queue/change-job.ts";

export const queueResume: Command = {
  needs: "settings",
  arguments: [{ name: "job", summary: "the job, as `queue jobs` shows it" }],
  examples: [{ line: "forager queue resume nightly", summary: "go on where it was paused" }],

  async run(context) {
    const name = context.args[0]!;
    await using queue = await openExistingQueue(context);
    const job = await changeJob(queue, name, () => queue.resume(name));
    context.out.result(job, `job '${name}' goes on: ${countTasks(job.pending)} pending`);
  },
};
