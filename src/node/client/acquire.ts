import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { openConnection, type Connection } from "./connection.ts";
import type { MeetingPoint, OwnerLock } from "../meeting-point.ts";

export interface AcquireOptions {
  readonly point: MeetingPoint;
  /** Worker processes never own a data folder; their supervisor or another process owns it. */
  readonly canOwn: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  readonly signal: AbortSignal;
}

export type FolderAccess =
  | { readonly kind: "owner"; readonly lock: OwnerLock }
  | { readonly kind: "client"; readonly connection: Connection };

/**
 * How long to try. An owner accepts connections before it reads its data, so this is long enough
 * even if the owner has just started.
 */
const acquireMsMax = 15_000;
/** A worker process may have to wait until its supervisor has taken over from a dead owner. */
const workerMsMax = 60_000;
const retryMsMin = 10;
const retryMsMax = 50;

/** Gets the lock of the data folder, or connects to the process that has it. */
export async function acquire(options: AcquireOptions): Promise<FolderAccess> {
  const { point, canOwn, clock, random, version, signal } = options;
  const endMs = clock.monotonicMs() + (canOwn ? acquireMsMax : workerMsMax);
  for (;;) {
    if (signal.aborted) throw aborted();
    const lock = canOwn ? point.tryLock() : undefined;
    if (lock) return { kind: "owner", lock };
    const channel = await point.connect();
    const connection = channel && (await openConnection({ channel, clock, version }));
    if (connection) return { kind: "client", connection };
    if (clock.monotonicMs() > endMs) throw inUse(await point.lastOwner(), canOwn);
    await sleep(clock, retryMsMin + random.below(retryMsMax - retryMsMin), signal).catch(() => {});
  }
}

const aborted = () => new AppError("aborted", "node_acquire_aborted", "asked to stop");

function inUse(pid: number | undefined, canOwn: boolean): AppError {
  if (!canOwn) {
    const message = "no process owns the data folder: start `forager up` or `forager work` first";
    return new AppError("unavailable", "node_no_owner", message);
  }
  const who = pid === undefined ? "another process" : `another process (its pid may be ${pid})`;
  const message =
    `${who} owns the data folder and does not answer on this machine's loopback address. If it runs ` +
    `in a container, run this command in that container or give both the same network. If it was ` +
    `stopped, continue it (kill -CONT). Otherwise end it`;
  return new AppError("unavailable", "node_in_use", message);
}
