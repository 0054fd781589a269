/**
 * Defines in one place when work counts as failed or incomplete, so that `work`, `enrich FILE`,
 * `campaign run`, `campaign status` and `status` agree.
 */
import { countTasks } from "../../base/text/count-words.ts";
import type { WorkOutcome } from "../work/work-outcome.ts";
import type { PausedJob } from "./paused-jobs.ts";
import type { UnreadJob } from "./unread-jobs.ts";
import { isNothingRead } from "./visit-counts.ts";
import { visitText } from "./visit-text.ts";

/** Jobs that need attention. */
export interface JobTroubles {
  readonly paused: readonly PausedJob[];
  /** Jobs whose websites could not be read. */
  readonly unread: readonly UnreadJob[];
}

/** One line per job, with the command that helps. */
export function jobTroubleTexts({ paused, unread }: JobTroubles): readonly string[] {
  const explained = new Set(paused.filter((one) => one.why !== undefined).map(({ job }) => job));
  return [
    ...unread.filter(({ job }) => !explained.has(job)).map(unreadText),
    ...paused.map(pausedText),
  ];
}

export const unreadText = ({ job, visits, left }: UnreadJob): string =>
  `job ${job}: no website could be read${left > 0 ? " so far" : ""}; ` +
  `visits: ${visitText(visits)}; ` +
  (left > 0 ? `${countTasks(left)} left` : `visit them again with: forager queue resume ${job}`);

export const pausedText = ({ job, left, why }: PausedJob): string =>
  `job ${job} is paused: ${why === undefined ? "" : `${why}; `}` +
  `${countTasks(left)} left; continue with: forager queue resume ${job}`;

/** True if work is incomplete: tasks failed or are left, or no website was read. */
export const isPartial = (ended: WorkOutcome): boolean =>
  ended.failed + ended.undone.length + ended.stopped.length > 0 ||
  ended.paused.length + ended.unread.length > 0 ||
  ended.held !== undefined ||
  isNothingRead(ended.visits);

/**
 * Leaves out the troubles of other jobs, for a command about one job: another job that is paused or
 * whose websites do not answer does not make this work a failure.
 */
export const outcomeOfJob = (outcome: WorkOutcome, name: string): WorkOutcome => ({
  ...outcome,
  paused: outcome.paused.filter(({ job }) => job === name),
  unread: outcome.unread.filter(({ job }) => job === name),
});
