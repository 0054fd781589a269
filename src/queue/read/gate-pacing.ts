import type { Attempt, Task } from "../task.ts";
import type { LogEntry } from "./log-entry.ts";
import type { EndedCursor } from "../queue-store.ts";
import type { Queue } from "../queue.ts";

/** How a visit of a host ended. `slow_down`: the host asked for fewer requests (429, 503). */
export type PacingOutcome = "done" | "skipped" | "failed" | "retry" | "slow_down";

export interface PacingEnd {
  readonly atMs: number;
  readonly task: number;
  readonly outcome: PacingOutcome;
  /** Empty if the outcome is "done". */
  readonly reason: string;
}

export interface GateHolder {
  readonly worker: string;
  readonly task: number;
  readonly leaseLeftMs: number;
}

export interface GatePacing {
  /** The time of the queue's clock. */
  readonly nowMs: number;
  readonly fromMs: number;
  /** Attempts that ended in this period, oldest first. */
  readonly ends: readonly PacingEnd[];
  /** False if more attempts ended; then these are the newest. */
  readonly isComplete: boolean;
  /** Workers that run tasks of the gate now, at most 20. */
  readonly holders: readonly GateHolder[];
}

const pageSize = 500;
const endsMax = 5_000;
const openMax = 500;
const holdersMax = 20;

/**
 * When tasks of a gate ended, from their attempts and the log. The queue stores when an attempt
 * ended, not when it began, so two ends may be closer together than the starts were.
 */
export async function readPacing(
  queue: Queue,
  gate: string,
  { minutes, signal }: { readonly minutes: number; readonly signal?: AbortSignal },
): Promise<GatePacing> {
  const { ms: nowMs } = await queue.now();
  const fromMs = nowMs - 60_000 * minutes;
  const ends: PacingEnd[] = [];
  let after: EndedCursor | undefined;
  let isComplete = false;
  while (!isComplete && ends.length < endsMax) {
    const page = await queue.log({ gate, isNewestFirst: true, limit: pageSize, ...(after && { after }) }); // prettier-ignore
    for (const entry of page) ends.push(...endsOf(entry, fromMs));
    after = page.at(-1);
    isComplete = page.length < pageSize || (after?.finishedAtMs ?? 0) < fromMs;
    signal?.throwIfAborted();
  }
  const open = await queue.browse({ gate, states: ["pending", "running"], limit: openMax });
  for (const task of open) ends.push(...endsOf(task, fromMs));
  const sorted = ends.sort((a, b) => a.atMs - b.atMs);
  return {
    nowMs,
    fromMs,
    ends: sorted.slice(-endsMax),
    isComplete: isComplete && sorted.length <= endsMax,
    holders: await holdersOf(queue, open, nowMs),
  };
}

function endsOf(
  { id, state, attempts, finishedAtMs }: Pick<LogEntry, "id" | "attempts" | "finishedAtMs"> & Pick<Task, "state">, // prettier-ignore
  fromMs: number,
): readonly PacingEnd[] {
  const failed = attempts
    .filter(({ outcome }) => outcome !== "cancelled" && outcome !== "skip")
    .map((attempt) => ({
      atMs: attempt.atMs,
      task: id,
      outcome: outcomeOf(attempt),
      reason: attempt.reason,
    }));
  const isWell = state === "done" || (state === "skipped" && attempts.at(-1)?.outcome === "skip");
  const last: readonly PacingEnd[] = isWell
    ? [{ atMs: finishedAtMs, task: id, outcome: state, reason: attempts.at(-1)?.outcome === "skip" ? attempts.at(-1)!.reason : "" }] // prettier-ignore
    : [];
  return [...failed, ...last].filter(({ atMs }) => atMs >= fromMs);
}

const outcomeOf = ({ outcome, reason }: Attempt): PacingOutcome => {
  if (/\b(?:429|503)\b|asked to wait|too many requests/i.test(reason)) return "slow_down";
  return outcome === "fail" ? "failed" : "retry";
};

async function holdersOf(
  queue: Queue,
  open: readonly Task[],
  nowMs: number,
): Promise<readonly GateHolder[]> {
  const running = open.filter(({ state }) => state === "running").slice(0, holdersMax);
  const shown = await Promise.all(running.map(({ id }) => queue.show(id)));
  return shown.flatMap((one) =>
    one?.worker === undefined
      ? []
      : [{ worker: one.worker, task: one.task.id, leaseLeftMs: one.task.expiresAtMs - nowMs }],
  );
}
