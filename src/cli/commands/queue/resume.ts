import { openExistingQueue } from "../../../app/index.ts";
import { countOf, countTasks } from "../../../base/text/count-words.ts";
import { resumeJob } from "../../../campaign/index.ts";
import { auditedQueue } from "../../../queue/index.ts";
import type { Command } from "../../frame/command.ts";
import { changeJob } from "./parts/change-job.ts";

export const queueResume: Command = {
  needs: "settings",
  arguments: [{ name: "job", summary: "the job, as `queue jobs` shows it" }],
  examples: [{ line: "forager queue resume nightly", summary: "continue a paused job" }],
  details: [
    "A job pauses automatically if none of its first 20 websites can be read. Resuming it visits them\n" +
      "again; otherwise only the others would be visited.",
  ],

  async run(context) {
    const name = context.args[0]!;
    await using queue = await openExistingQueue(context);
    await using _state = await context.recordState(() => auditedQueue.job(queue, name));
    let again = 0;
    const job = await changeJob(queue, name, async () => {
      const resumed = await resumeJob(queue, name, { nowMs: context.clock.nowMs() });
      again = resumed.again;
      return resumed.answer;
    });
    const visits = countOf(again, "website that could not be read is", "websites that could not be read are"); // prettier-ignore
    context.out.result(
      { ...job, again },
      `job '${name}' was resumed: ${countTasks(job.pending)} pending` +
        (again > 0 ? `; ${visits} visited again` : ""),
    );
  },
};
