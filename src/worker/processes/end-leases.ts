import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { LeaseRef, Queue } from "../../queue/index.ts";
import type { EndedCount, CrashedWork, InFlightLease } from "./crash-record.ts";
import type { TaskEnd } from "../tasks/kind-state.ts";

export interface EndLeasesOptions {
  readonly queue: Pick<Queue, "claim" | "finish" | "release" | "show" | "logEntry">;
  readonly inFlight: CrashedWork;
  /** How the process ended: "SIGKILL", "code 1". */
  readonly how: string;
  readonly clock: Clock;
}

const callMax = 1_000;
const repeatMsMin = 100;
const repeatMsMax = 5_000;

/**
 * Ends the leases of a process that is known to be dead, so that nobody has to wait until they
 * expire. Returns how many tasks of each kind ended in which way.
 * - For tasks that had started, the attempt counts and they become suspect: one of them may have
 *   killed the process. Tasks that had not started are released, and the attempt does not count.
 * - A claim that may not have been answered is repeated with its request id. This returns the same
 *   leases again. If the request of the dead process still arrives later, it leases nothing more.
 * - Only leases that are still held are changed. For the others, the queue tells how they ended.
 * - While the queue is unavailable, the calls are repeated. When the leases have expired by
 *   themselves, the last error is thrown.
 */
export async function endLeases(options: EndLeasesOptions): Promise<readonly EndedCount[]> {
  const { clock, inFlight } = options;
  const giveUpMs = clock.monotonicMs() + inFlight.leaseMs;
  for (let waitMs = repeatMsMin; ; waitMs = Math.min(repeatMsMax, waitMs * 2)) {
    try {
      return await endOnce(options);
    } catch (error) {
      const isAway = error instanceof AppError && error.kind === "unavailable";
      if (!isAway || clock.monotonicMs() + waitMs > giveUpMs) throw error;
    }
    await sleep(clock, waitMs);
  }
}

async function endOnce({ queue, inFlight, how }: EndLeasesOptions): Promise<readonly EndedCount[]> {
  const leases = new Map<string, InFlightLease>();
  for (const lease of await leasesOf(queue, inFlight)) leases.set(nameOf(lease), lease);
  for (const lease of inFlight.leases) leases.set(nameOf(lease), lease);
  const started = [...leases.values()].filter(({ hasStarted }) => hasStarted);
  const waiting = [...leases.values()].filter(({ hasStarted }) => !hasStarted);
  const reason = `the worker process ended while the task was running (${how})`;
  const answers = await Promise.all([
    ...chunksOf(started).map(async (chunk) => {
      const finishes = chunk.map(({ id, token, attemptsMax }) => ({
        id,
        token,
        outcome: { kind: "crash", reason, attemptsMax } as const,
      }));
      return zip(chunk, await queue.finish(finishes));
    }),
    ...chunksOf(waiting).map(async (chunk) =>
      zip(chunk, await queue.release(chunk.map(({ id, token }) => ({ id, token })))),
    ),
  ]);
  const counts = new Map<string, EndedCount>();
  for (const [{ kind, ...lease }, { status }] of answers.flat()) {
    const end =
      status === "held" ? "released" : status === "lost" ? await endOf(queue, lease) : status;
    const key = JSON.stringify([kind, end]);
    counts.set(key, { kind, end, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/**
 * How a lease ended that is no longer held: its process was killed before it could count the end.
 */
async function endOf(queue: EndLeasesOptions["queue"], { id, token }: LeaseRef): Promise<TaskEnd> {
  const task = (await queue.show(id))?.task ?? (await queue.logEntry(id));
  const attempt = task?.attempts.findLast((one) => one.token === token);
  if (!task || attempt?.outcome === "expired" || attempt?.outcome === "cancelled") return "lost";
  const { state } = task;
  // An archived task has no token any more. It ended with the last lease that it had.
  const isNewest = !("token" in task) || task.token === token;
  if (isNewest && state === "running") return "lost"; // its job was cancelled
  if (isNewest && state !== "running" && state !== "pending") return state;
  return attempt ? "retried" : "released";
}

/** The leases of a claim that may not have been answered. */
async function leasesOf(
  queue: EndLeasesOptions["queue"],
  { worker, kinds, burst, leaseMs, claim }: CrashedWork,
): Promise<readonly InFlightLease[]> {
  if (!claim) return [];
  const { leases } = await queue.claim({ worker, kinds, burst, leaseMs, ...claim });
  return leases.map((lease) => ({ ...lease, hasStarted: false }));
}

const nameOf = ({ id, token }: LeaseRef) => `${id}/${token}`;

const zip = <A, B>(a: readonly A[], b: readonly B[]): readonly (readonly [A, B])[] =>
  a.map((one, index) => [one, b[index]!] as const);

function chunksOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += callMax) chunks.push(items.slice(at, at + callMax));
  return chunks;
}
