import type { Metrics } from "../base/metrics.ts";
import type { InFlightTasks } from "./tasks/in-flight-tasks.ts";
import type { KindState } from "./tasks/kind-state.ts";

/** Registers gauges of the worker's state at the moment of a snapshot. */
export function registerGauges(
  metrics: Metrics,
  inFlightTasks: InFlightTasks,
  kinds: ReadonlyMap<string, KindState>,
): void {
  const slots = metrics.gauge({
    name: "forager_worker_slots",
    help: "Slots of workers: active, idle, and claimed tasks that wait for their time or a cap.",
    labels: ["state"],
  });
  const abandoned = metrics.gauge({
    name: "forager_worker_abandoned_handlers",
    help: "Handlers that still run although they were aborted.",
  });
  const limiter = metrics.gauge({
    name: "forager_limiter_keys",
    help: "Keys that the local caps remember.",
    labels: ["kind"],
  });
  metrics.onSnapshot(() => {
    const active = inFlightTasks.atWork();
    slots.of("active").set(active);
    slots.of("idle").set(Math.max(0, inFlightTasks.concurrency() - active));
    slots
      .of("waiting")
      .set([...inFlightTasks.inFlight()].filter(({ state }) => state === "waiting").length);
    abandoned.of().set(inFlightTasks.abandoned());
    for (const [kind, { caps }] of kinds) limiter.of(kind).set(caps?.metrics().keys ?? 0);
  });
}
