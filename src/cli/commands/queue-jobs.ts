import { openQueueToRead } from "../../app/index.ts";
import type { Command } from "../command.ts";
import { byName } from "../../queue/index.ts";
import { jobColumns } from "./queue/job-columns.ts";

export const queueJobs: Command = {
  needs: "settings",
  examples: [
    { line: "forager queue jobs", summary: "every job with its state and progress" },
    { line: "forager queue jobs --json", summary: "with caps, budgets and times" },
  ],

  async run(context) {
    const { out, signal } = context;
    await using queue = await openQueueToRead(context);
    await out.list(
      byName((page) => queue.jobs(page), signal),
      { columns: jobColumns, empty: "no job: a task without one is in the job `default`" },
    );
  },
};
