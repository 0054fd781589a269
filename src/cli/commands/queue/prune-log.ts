import { openExistingQueue } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { formatMoment } from "../../../base/text/format-time.ts";
import { usageError } from "../../../base/usage-error.ts";
import { auditedQueue, endedAll, type EndedCursor, type Queue } from "../../../queue/index.ts";
import type { CommandOutcome, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { parseMoment } from "../company/parts/parse-moment.ts";

/** `queue log prune`: prints the number of entries, asks, and removes them in chunks. */
export async function pruneLog(context: SettingsContext): Promise<CommandOutcome> {
  const { flags, out, confirm, clock, signal, progress } = context;
  const before = textFlag(flags, "before");
  if (before === undefined) throw usageError("queue log prune needs --before, such as 365d");
  const momentOf = (nowMs: number) =>
    Date.parse(parseMoment("--before", before, { nowMs, direction: "past" }));
  momentOf(clock.nowMs()); // reject an invalid time before the queue is opened
  await using queue = await openExistingQueue(context);
  // A duration such as 365d counts back from the queue's clock, which set the finish times.
  const beforeMs = momentOf((await queue.now()).ms);
  const count = await countEntries(queue, beforeMs, signal);
  const what = `${countOf(count, "entry")} older than ${formatMoment(beforeMs)}`;
  if (flags["dryRun"] === true) {
    return out.result({ isDryRun: true, matching: count }, `would remove ${what} from the log`);
  }
  if (
    count > 0 &&
    !(await confirm(`remove ${what} from the log?`, { yes: flags["yes"] === true }))
  ) {
    out.note("nothing was changed");
    return "failed";
  }
  await using _state = await context.recordState(() => auditedQueue.counts(queue));
  const bar = progress.start({ label: "prune", total: count });
  let changed = 0;
  try {
    changed = await queue.pruneLog(beforeMs, (soFar) => {
      bar.advance(soFar - changed);
      changed = soFar;
      if (signal.aborted) throw new AppError("aborted", "stopped", "stopped between two chunks");
    });
  } finally {
    bar.done();
  }
  out.result({ changed }, `removed ${countOf(changed, "entry")} from the log`);
}

/** Counts only log entries: `log` lists entries and rows, `ended` lists rows. */
async function countEntries(queue: Queue, beforeMs: number, signal: AbortSignal): Promise<number> {
  const count = async (all: AsyncIterable<EndedCursor>) => {
    let found = 0;
    for await (const { finishedAtMs } of all) {
      if (finishedAtMs >= beforeMs) break;
      found += 1;
    }
    return found;
  };
  const query = { last: Infinity, signal };
  const listed = await count(endedAll((page) => queue.log(page), query));
  return listed - (await count(endedAll((page) => queue.ended(page), query)));
}
