import { openExistingQueue } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countTasks } from "../../../base/text/count-words.ts";
import { auditedQueue, type Queue } from "../../../queue/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { changeJob } from "./parts/change-job.ts";
import { checkInput } from "./parts/check-input.ts";
import { noSuchJob } from "./parts/filters.ts";

export const queueCancel: Command = {
  needs: "settings",
  arguments: [{ name: "job", summary: "the job, as `queue jobs` shows it" }],
  options: [
    { flag: "--yes", summary: "do not ask" },
    { flag: "--dry-run", summary: "only show what would be cancelled" },
  ],
  examples: [
    {
      line: "forager queue cancel nightly",
      summary: "skip pending tasks, ignore results of running ones",
    },
    { line: "forager queue cancel nightly --yes", summary: "in a script" },
  ],
  details: [
    "Pending tasks become skipped; results of running tasks are not recorded. Only\n" +
      "`forager queue retry --job NAME --state skipped --yes` brings them back.",
  ],

  async run(context) {
    const { args, flags, clock, out, confirm } = context;
    const name = args[0]!;
    await checkInput(clock, (check) => void check.endingJob(name));
    await using queue = await openExistingQueue(context);
    const before = await queue.job(name);
    if (!before) throw await noSuchJob(queue, name);
    const { pending, running } = before;
    const what = `job '${name}': ${countTasks(pending)} pending, ${running} running`;
    if (flags["dryRun"] === true) {
      return out.result({ job: name, isDryRun: true, pending, running }, `would cancel ${what}`);
    }
    if (
      before.ended === null &&
      !(await confirm(`cancel ${what}?`, { yes: flags["yes"] === true }))
    ) {
      out.note("nothing was cancelled");
      return "failed";
    }
    await using _state = await context.recordState(() => auditedQueue.job(queue, name));
    const { pending: left } = await changeJob(queue, name, () => queue.cancel(name));
    if (left > 0) await skipTasks(queue, context, left);
    const job = await queue.job(name);
    out.result(job ?? { ...before, ended: "cancelled" }, `cancelled ${what}`);
  },
};

/**
 * The job is cancelled at once. Its tasks are skipped by sweeps, which perhaps no other process
 * runs.
 */
async function skipTasks(
  queue: Queue,
  { progress, signal, out }: SettingsContext,
  total: number,
): Promise<void> {
  const bar = progress.start({ label: "cancel", total });
  try {
    for (;;) {
      const { cancelled, hasMore } = await queue.sweep();
      bar.advance(cancelled);
      if (!hasMore) return;
      if (signal.aborted) {
        out.note("the job is cancelled; workers and later commands skip the tasks that are left");
        throw new AppError("aborted", "cancel_stopped", "stopped while skipping tasks");
      }
    }
  } finally {
    bar.done();
  }
}
