/**
 * When work counts as failed or incomplete, in one place: `work`, `enrich FILE`, `campaign run`,
 * `campaign status` and `status` ask here, so that they agree.
 */
import { countTasks } from "../../base/text/count-words.ts";
import type { WorkOutcome } from "../work/work-outcome.ts";
import type { PausedJob } from "./paused-jobs.ts";
import type { UnreadJob } from "./unread-jobs.ts";
import { isNothingRead } from "./visit-counts.ts";
import { visitText } from "./visit-text.ts";

/** Jobs that a person should look at. */
export interface JobTroubles {
  readonly paused: readonly PausedJob[];
  /** Jobs whose websites could not be read. */
  readonly unread: readonly UnreadJob[];
}

/** One line for each job, with the command that helps. */
export function jobTroubleTexts({ paused, unread }: JobTroubles): readonly string[] {
  const explained = new Set(paused.filter((one) => one.why !== undefined).map(({ job }) => job));
  return [
    ...unread.filter(({ job }) => !explained.has(job)).map(unreadText),
    ...paused.map(pausedText),
  ];
}

export const unreadText = ({ job, visits }: UnreadJob): string =>
  `job ${job}: no website could be read; visits: ${visitText(visits)}; ` +
  `visit them again with: forager queue resume ${job}`;

export const pausedText = ({ job, left, why }: PausedJob): string =>
  `job ${job} is paused: ${why === undefined ? "" : `${why}; `}` +
  `${countTasks(left)} left; go on with: forager queue resume ${job}`;

/** Whether work is incomplete: something failed, is left, or has read no website. */
export const isPartial = (ended: WorkOutcome): boolean =>
  ended.failed + ended.undone.length + ended.stopped.length > 0 ||
  ended.paused.length + ended.unread.length > 0 ||
  ended.held !== undefined ||
  isNothingRead(ended.visits);

/**
 * Without the troubles of other jobs, for a command that was asked about one: a job that was paused
 * earlier, or whose websites do not answer, does not make its work a failure.
 */
export const outcomeOfJob = (outcome: WorkOutcome, name: string): WorkOutcome => ({
  ...outcome,
  paused: outcome.paused.filter(({ job }) => job === name),
  unread: outcome.unread.filter(({ job }) => job === name),
});
