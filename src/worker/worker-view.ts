import type { Decision } from "./scaler.ts";
import type { InFlightTask } from "./in-flight-task.ts";

/** How a worker is right now. */
export interface WorkerView {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly concurrency: number;
  readonly atWork: number;
  readonly atWorkByKind: Readonly<Record<string, number>>;
  /** Attempts that were recorded, whatever their outcome. */
  readonly completed: number;
  readonly inFlight: number;
  readonly waitingForCap: number;
  readonly abandoned: number;
  readonly isResting: boolean;
  readonly scaled: Decision | undefined;
  /** Since the queue last answered a claim; a worker that rests waits for the queue to call. */
  readonly sinceClaimMs: number;
  /** How long the oldest call to the queue has gone unanswered. */
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

/** Kinds of which nothing is at work are left out. */
export function countByKind(inFlight: Iterable<InFlightTask>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state, lease } of inFlight) {
    if (state === "working") counts[lease.kind] = (counts[lease.kind] ?? 0) + 1;
  }
  return counts;
}

const tasksShownMax = 50;

/** Those that have been at work longest, first. */
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
