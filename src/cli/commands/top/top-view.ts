import { formatDuration, formatMoment } from "../../../base/text/format-time.ts";
import type { AlertEvent, Heartbeat, WorkerHeartbeat } from "../../../observe/index.ts";
import type { Gate, QueueStats, ReasonStats } from "../../../queue/index.ts";
import type { Layout } from "../../terminal/output.ts";
import type { TableColumn } from "../../terminal/table.ts";
import { gateColumns, gateValue } from "../queue/parts/gate-columns.ts";
import { sparkline } from "./sparkline.ts";

/** The data of one refresh: a queue and its workers. */
export interface TopView {
  readonly atMs: number;
  readonly queue: string;
  readonly stats: QueueStats;
  readonly gates: readonly Gate[];
  /** The time by the store's clock, which the times of gates refer to. */
  readonly storeNowMs: number;
  readonly heartbeats: readonly Heartbeat[];
  /** Tasks completed per second, oldest first; the last one is now. */
  readonly rates: readonly number[];
}

const gatesShownMax = 8;

export function describeTop(view: TopView, layout: Layout): string {
  const { stats, rates } = view;
  const { pending, running, done, skipped, failed } = stats.states;
  const alerts = view.heartbeats.flatMap(({ alerts: all }) => all);
  const workers = view.heartbeats.flatMap(({ node, workers: all }) =>
    all.map((worker) => ({ ...worker, node })),
  );
  const gates = busiest(view);
  const sections = [
    `${formatMoment(view.atMs)}  ${view.queue}`,
    `pending ${pending}  running ${running}  done ${done}  skipped ${skipped}  failed ${failed}` +
      `  jobs ${stats.jobs.open} open, ${stats.jobs.paused} paused`,
    `${sparkline(rates)}  ${rateText(rates)}`,
    pending > 0
      ? layout.table(
          stats.reasons.filter(({ count }) => count > 0),
          reasonColumns,
        )
      : "nothing waits",
    workers.length > 0
      ? layout.table(workers, workerColumns)
      : "no workers here: forager work starts some",
    ...(gates.length > 0 ? [layout.table(gates, gateColumns)] : []),
    ...(alerts.length > 0 ? [alerts.map(alertLine).join("\n")] : []),
  ];
  return sections.join("\n\n");
}

function alertLine({ event, of, part, forMs, what }: AlertEvent): string {
  const name = event.replace(/_began$/, "").replace("_", " ");
  const length = forMs > 0 ? ` for ${formatDuration(forMs)}` : "";
  return `${name}: ${of} ${part}${length}${what === undefined ? "" : `, ${what}`}`;
}

/** The view as one line for a log, which cannot be redrawn. */
export function describeTopInLine({ atMs, stats, rates, heartbeats }: TopView): string {
  const { pending, running, done, failed } = stats.states;
  const reasons = stats.reasons
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => `${reason} ${count}`);
  const atWork = heartbeats.flatMap(({ workers }) => workers).reduce((sum, w) => sum + w.atWork, 0);
  const waiting = reasons.length > 0 ? ` (${reasons.join(", ")})` : "";
  return (
    `${formatMoment(atMs)} ${rateText(rates)}, pending ${pending}${waiting}, running ${running}, ` +
    `done ${done}, failed ${failed}, at work here ${atWork}`
  );
}

const rateText = (rates: readonly number[]) => `${(rates.at(-1) ?? 0).toFixed(1)} tasks/s`;

/** The gates that hold back tasks or are in use. */
function busiest({ gates, storeNowMs }: TopView) {
  return gates
    .map((gate) => gateValue(gate, storeNowMs))
    .filter(({ running, blockedForMs, opensInMs }) => running + blockedForMs + opensInMs > 0)
    .sort((a, b) => b.blockedForMs - a.blockedForMs || b.running - a.running)
    .slice(0, gatesShownMax);
}

export const reasonColumns: readonly TableColumn<ReasonStats>[] = [
  { title: "waiting for", value: ({ reason }) => reason },
  { title: "tasks", value: ({ count }) => count },
  { title: "share", value: ({ share }) => `${(share * 100).toFixed(0)}%` },
  { title: "oldest", value: ({ oldestAgeMs }) => formatDuration(oldestAgeMs) },
];

export const workerColumns: readonly TableColumn<WorkerHeartbeat & { readonly node: string }>[] = [
  { title: "node", value: ({ node }) => node },
  { title: "worker", value: ({ name }) => name },
  { title: "state", value: ({ state }) => state, tint: stateTint },
  { title: "at work", value: ({ atWork }) => atWork },
  { title: "slots", value: ({ concurrency }) => concurrency },
  { title: "in flight", value: ({ inFlight }) => inFlight },
  { title: "completed", value: ({ completed }) => completed },
  { title: "restarts", value: ({ restarts }) => restarts },
  { title: "scaling", value: ({ decision }) => decision },
];

function stateTint({ state }: WorkerHeartbeat) {
  return state === "running" ? ("good" as const) : ("warn" as const);
}
