import type { WorkSummary } from "../../app/index.ts";
import type { Clock } from "../../base/clock.ts";
import { formatCount } from "../../base/text/count-words.ts";
import type { QueueStats, WaitingReason } from "../../queue/index.ts";
import type { Progress } from "./progress.ts";

export interface WorkProgress {
  summary(): WorkSummary;
  queueStats(): QueueStats | undefined;
}

const lookMs = 500;

/** Shows the progress of work in one line on a terminal. Elsewhere people read the log. */
export function followWork(
  work: WorkProgress,
  { progress, clock }: { readonly progress: Progress; readonly clock: Clock },
): { readonly stop: () => void } {
  if (!progress.isTerminal) return { stop() {} };
  const bar = progress.start({ label: "work" });
  let shown = 0;
  const show = () => {
    const { done, skipped, failed } = work.summary();
    bar.advance(done + skipped + failed - shown);
    shown = done + skipped + failed;
    const { pending, running } = work.queueStats()?.states ?? {};
    if (pending !== undefined && running !== undefined) bar.setTotal(shown + pending + running);
    bar.note(workLine(work.summary(), work.queueStats()));
  };
  let timer = clock.setTimer(lookMs, function again() {
    show();
    timer = clock.setTimer(lookMs, again, { background: true });
  });
  return {
    stop() {
      timer.cancel();
      show();
      bar.done(workLine(work.summary(), work.queueStats()));
    },
  };
}

/** `3 failed, 45 contacts, 80 left (60 wait for their host, 20 ready)` */
export function workLine(
  { failed, contacts }: Pick<WorkSummary, "failed" | "contacts">,
  stats: Pick<QueueStats, "states" | "reasons"> | undefined,
): string {
  const left = stats && stats.states.pending + stats.states.running;
  const waiting = (stats?.reasons ?? [])
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 2)
    .map(({ count, reason }) => `${formatCount(count)} ${reasonWords[reason]}`);
  return [
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(contacts > 0 ? [`${formatCount(contacts)} contacts`] : []),
    ...(left === undefined ? [] : [`${formatCount(left)} left`]),
  ]
    .join(", ")
    .concat(waiting.length > 0 ? ` (${waiting.join(", ")})` : "");
}

const reasonWords: Readonly<Record<WaitingReason, string>> = {
  paused: "in paused jobs",
  scheduled: "due later",
  retry_backoff: "wait to be retried",
  domain_delay: "wait for their host",
  concurrency_limit: "wait for their job's limit",
  worker_capacity: "ready",
};
