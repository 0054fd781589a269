import { countOf } from "../../../../base/text/count-words.ts";
import { formatDuration, formatMoment } from "../../../../base/text/format-time.ts";
import type { Job, KindStats, QueueStats, ReasonStats } from "../../../../queue/index.ts";
import type { Layout } from "../../../terminal/output.ts";
import type { TableColumn } from "../../../terminal/table.ts";
import { jobColumns, share } from "./job-columns.ts";

export interface StatsView {
  readonly stats: QueueStats;
  readonly jobs: readonly Job[];
}

/** At most this many jobs fit on a screen, the busiest first; `queue jobs` lists all. */
const jobsShownMax = 20;

export function describeStats({ stats, jobs }: StatsView, layout: Layout): string {
  const busiest = jobs
    .toSorted((a, b) => Number(a.ended !== null) - Number(b.ended !== null) || open(b) - open(a))
    .slice(0, jobsShownMax);
  const hidden = jobs.length - busiest.length;
  const rest = hidden > 0 ? [`and ${countOf(hidden, "more job")}: see forager queue jobs`] : [];
  const { pending } = stats.states;
  const sections = [
    layout.table(Object.entries(stats.states), stateColumns),
    layout.table(stats.reasons, reasonColumns(pending)),
    ...(stats.kinds.length === 0 ? [] : [layout.table(stats.kinds, kindColumns)]),
    ...(busiest.length === 0 ? [] : [[layout.table(busiest, jobColumns), ...rest].join("\n")]),
  ];
  return sections.join("\n\n");
}

/** The statistics as one line for a log. */
export function describeStatsInLine({ stats }: StatsView, nowMs: number): string {
  const states = Object.entries(stats.states).map(([state, count]) => `${state} ${count}`);
  const reasons = stats.reasons
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => `${reason} ${count}`);
  const waiting = reasons.length > 0 ? ` (${reasons.join(", ")})` : "";
  return `${formatMoment(nowMs)} ${states.join(", ")}${waiting}`;
}

const open = (job: Job) => job.pending + job.running;

const stateColumns: readonly TableColumn<readonly [string, number]>[] = [
  { title: "state", value: ([state]) => state },
  { title: "tasks", value: ([, count]) => count },
];

const reasonColumns = (pending: number): readonly TableColumn<ReasonStats>[] => [
  { title: "waiting for", value: ({ reason }) => reason },
  { title: "tasks", value: ({ count }) => count },
  { title: "share", value: ({ count }) => share(count, pending) },
  {
    title: "oldest",
    value: ({ count, oldestAgeMs }) => (count > 0 ? formatDuration(oldestAgeMs) : "-"),
  },
];

const waitColumn = (title: string, of: "p50Ms" | "p95Ms" | "p99Ms"): TableColumn<KindStats> => ({
  title,
  value: ({ waits }) => (waits.count > 0 ? formatDuration(waits[of]) : "-"),
});

const kindColumns: readonly TableColumn<KindStats>[] = [
  { title: "kind", value: ({ kind }) => kind },
  { title: "pending", value: ({ pending }) => pending },
  { title: "running", value: ({ running }) => running },
  { title: "done", value: ({ done }) => done },
  { title: "skipped", value: ({ skipped }) => skipped },
  { title: "failed", value: ({ failed }) => failed },
  waitColumn("wait p50", "p50Ms"),
  waitColumn("p95", "p95Ms"),
  waitColumn("p99", "p99Ms"),
];
