import { openQueueToRead } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import {
  emptyPageText,
  listPageOptions,
  readListPage,
  rowsOfPage,
} from "../../terminal/list-page.ts";
import { byName } from "../../../queue/index.ts";
import { jobColumns } from "./parts/job-columns.ts";

export const queueJobs: Command = {
  needs: "settings",
  options: listPageOptions("all"),
  examples: [
    { line: "forager queue jobs", summary: "every job with its state and progress" },
    { line: "forager queue jobs --json", summary: "with caps, budgets and times" },
  ],

  async run(context) {
    const { out, flags, signal } = context;
    const page = readListPage(flags, "all");
    await using queue = await openQueueToRead(context);
    const jobs = byName((cursor) => queue.jobs(cursor), signal);
    await out.list(rowsOfPage(jobs, page).rows, {
      columns: jobColumns,
      empty: emptyPageText(page, "no job: a task without one is in the job `default`"),
    });
  },
};
