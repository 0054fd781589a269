import type { Decision } from "./processes/scaler.ts";
import type { InFlightTask } from "./tasks/in-flight-task.ts";

/** The current state of a worker. */
export interface WorkerView {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly concurrency: number;
  readonly atWork: number;
  readonly atWorkByKind: Readonly<Record<string, number>>;
  /** The number of recorded attempts, whatever their outcome. */
  readonly completed: number;
  readonly inFlight: number;
  readonly waitingForCap: number;
  readonly abandoned: number;
  readonly isResting: boolean;
  readonly scaled: Decision | undefined;
  /** Time since the queue last answered a claim. It grows while a worker waits to be woken. */
  readonly sinceClaimMs: number;
  /** The age of the oldest call to the queue without an answer. */
  readonly oldestCallMs: number;
  readonly tasks: readonly TaskAtWork[];
}
export interface TaskAtWork {
  readonly id: number;
  readonly kind: string;
  readonly key: string;
  readonly forMs: number;
  readonly note: string | undefined;
}

/** Kinds without running tasks are left out. */
export function countByKind(inFlight: Iterable<InFlightTask>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state, lease } of inFlight) {
    if (state === "working") counts[lease.kind] = (counts[lease.kind] ?? 0) + 1;
  }
  return counts;
}

const tasksShownMax = 50;

/** The tasks that have been running longest come first. */
export function tasksAtWork(
  inFlight: Iterable<InFlightTask>,
  nowMs: number,
): readonly TaskAtWork[] {
  return [...inFlight]
    .filter(({ state }) => state === "working")
    .sort((a, b) => a.startedAtMs - b.startedAtMs)
    .slice(0, tasksShownMax)
    .map(({ lease: { id, kind, key }, startedAtMs, note }) => ({
      id,
      kind,
      key,
      forMs: nowMs - startedAtMs,
      note,
    }));
}
