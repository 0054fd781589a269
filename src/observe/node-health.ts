import type { MetricsSnapshot } from "../base/metrics.ts";
import type { AlertEvent } from "./alert-book.ts";
import type { NodeObserver } from "./node-observer.ts";
import type { YieldReading } from "./yield-stall.ts";

/** A worker process as its supervisor sees it. */
export interface WorkerState {
  readonly name: string;
  readonly state: string;
}

type Observer = Pick<NodeObserver, "alerts" | "sinceReadMs">;

/** A queue that was not read for this long counts as unreachable. */
const unreachableMs = 60_000;

/**
 * Why the node is not healthy; empty: it is healthy. Healthy means that every process works or has
 * nothing to do, and that runnable work runs.
 */
export function troublesOf(workers: readonly WorkerState[], observer: Observer): readonly string[] {
  const away = workers.filter(({ state }) => state === "waiting" || state === "starting");
  const alerts = observer.alerts();
  return [
    ...away.map(({ name, state }) => `worker ${name} is ${state}`),
    ...alerts
      .filter(({ event }) => event === "stall_began")
      .map(({ of, part }) => `work of ${of} ${part} is stalled`),
    ...alerts
      .filter(({ event }) => event === "zombie_began")
      .map(({ part }) => `worker ${part} completes nothing, though it could`),
    ...unreachable(observer),
  ];
}

/** Why the node is not ready yet; empty: it is ready. `workers` undefined: it should have none. */
export function unreadyOf(
  workers: readonly WorkerState[] | undefined,
  observer: Observer,
): readonly string[] {
  const isAny = !workers || workers.some(({ state }) => state === "running");
  return [...(isAny ? [] : ["no worker process runs yet"]), ...unreachable(observer)];
}

const unreachable = (observer: Observer) =>
  observer.sinceReadMs() > unreachableMs ? ["the queue cannot be reached"] : [];

/** An alert in the form that a heartbeat contains. */
export function alertWords({ event, of, part, what }: AlertEvent): string {
  const name = event.replace("_began", "").replaceAll("_", " ");
  return `${name}: ${of} ${part}${what === undefined ? "" : ` ${what}`}`;
}

/** What tasks yielded, by the metrics of workers; only for kinds that count it. */
export function yieldsOf(snapshot: MetricsSnapshot): readonly YieldReading[] {
  const seriesOf = (family: string) => snapshot.find(({ name }) => name === family)?.series ?? [];
  const ended = seriesOf("forager_tasks_ended_total");
  return seriesOf("forager_task_yield_total").map(({ values: [kind = ""], value }) => ({
    kind,
    done: ended.find(({ values }) => values[0] === kind && values[1] === "done")?.value ?? 0,
    yielded: value,
  }));
}
