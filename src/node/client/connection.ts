import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { afterTick } from "../../base/tick.ts";
import type { Channel } from "../meeting-point.ts";
import type { Watch } from "../node-api.ts";
import { errorOf, kindOf, type NodeAnswer, type Call, type Request } from "../protocol.ts";

/** A client's side of the connection to the owner. */
export interface Connection {
  /**
   * Rejects with `node_connection_lost` if no answer will come: the owner may or may not have run
   * the call. Pass the same `repeated` for each attempt of a call.
   */
  call(call: Call, watch: Watch<unknown>, repeated: Repeated): Promise<unknown>;
  /** Id of the process that owns the data folder. */
  readonly ownerPid: number;
  /** Resolves when the connection has ended. */
  readonly gone: Promise<void>;
  close(): void;
}

/** One for each call; it is kept over all connections that the call is sent on. */
export interface Repeated {
  /** The newest stamp before the call was first sent; set by the connection. */
  after: string | undefined;
}

export interface ConnectOptions {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly version: string;
}

/** How long an owner may be silent while a call waits for it. */
export const silenceMsMax = 30_000;
const pingMs = 5_000;
/** How long an owner may take to open a large data folder. */
const openingMsMax = 60_000;

export const isConnectionLost = (error: unknown): boolean =>
  error instanceof AppError && error.code === "node_connection_lost";

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress?: ((progress: unknown) => void) | undefined;
}

/** Resolves when the owner is ready. Undefined: the connection ended before that. */
export async function openConnection(options: ConnectOptions): Promise<Connection | undefined> {
  const { channel, clock, version } = options;
  const waiting = new Map<number, Waiting>();
  let count = 0;
  let owner: { readonly version: string; readonly pid: number } | undefined;
  let lastReceivedAtMs = clock.monotonicMs();
  /** Since when at least one call waits. */
  let waitsSinceMs = lastReceivedAtMs;
  let timer: Timer | undefined;
  let onReady = () => {};

  const send = (make: (id: number) => Request, reply: Waiting): number => {
    const id = ++count;
    if (channel.isClosed()) {
      reply.reject(connectionLost(owner?.pid));
      return id;
    }
    try {
      channel.send(make(id));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      reply.reject(requestTooLong(error.message));
      return id;
    }
    if (waiting.size === 0) waitsSinceMs = clock.monotonicMs();
    waiting.set(id, reply);
    channel.setWaiting(true);
    timer ??= watchOwner();
    return id;
  };
  const settle = (id: number): Waiting | undefined => {
    const reply = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) channel.setWaiting(false);
    return reply;
  };
  /** While a call waits: closes the connection if the owner is stopped or hangs. */
  const watchOwner = (): Timer =>
    clock.setTimer(
      pingMs,
      () => {
        timer = undefined;
        if (waiting.size === 0) return;
        if (clock.monotonicMs() - Math.max(lastReceivedAtMs, waitsSinceMs) > silenceMsMax) {
          const error = ownerSilent(owner?.pid);
          for (const { reject } of waiting.values()) reject(error);
          waiting.clear();
          return channel.close();
        }
        send((id) => ({ id, ping: true }), { resolve: () => {}, reject: () => {} });
        timer ??= watchOwner();
      },
      { background: true },
    );
  const receive = (answer: NodeAnswer) => {
    lastReceivedAtMs = clock.monotonicMs();
    if ("ready" in answer) {
      owner = answer.ready;
      return onReady();
    }
    if ("progress" in answer) return waiting.get(answer.id)?.onProgress?.(answer.progress);
    const reply = settle(answer.id);
    if ("failure" in answer) reply?.reject(errorOf(answer.failure));
    else reply?.resolve(answer.value);
  };
  const gone = channel.closed.then(() => {
    timer?.cancel();
    for (const { reject } of waiting.values()) reject(connectionLost(owner?.pid));
    waiting.clear();
  });
  const ready = new Promise<void>((resolve) => (onReady = resolve));
  channel.receive((message) => receive(message as NodeAnswer));
  // The owner may still be reading its data folder.
  const opening = clock.setTimer(openingMsMax, () => channel.close());
  await Promise.race([ready, gone]);
  opening.cancel();
  if (!owner) return undefined;
  if (owner.version !== version) {
    channel.close();
    throw otherVersion(owner, version);
  }

  /** Calls of one turn of the event loop share one request for the newest stamp. */
  let mark: Promise<string> | undefined;
  const newestStamp = (): Promise<string> => {
    if (!mark) {
      mark = new Promise<unknown>((resolve, reject) =>
        send((id) => ({ id, mark: true }), { resolve, reject }),
      ) as Promise<string>;
      afterTick(() => (mark = undefined));
    }
    return mark;
  };

  return {
    async call(call, { onProgress, signal }, repeated) {
      const isRepeat = repeated.after !== undefined;
      const after =
        kindOf(call) === "write" ? (repeated.after ?? (await newestStamp())) : undefined;
      if (signal?.aborted) throw aborted();
      return new Promise<unknown>((resolve, reject) => {
        const onAbort = () => channel.send({ cancel: id });
        const end = () => signal?.removeEventListener("abort", onAbort);
        repeated.after = after;
        const id = send((number) => ({ id: number, call, ...(isRepeat && { after }) }), {
          resolve: (value) => (end(), resolve(value)),
          reject: (error) => (end(), reject(error as Error)),
          onProgress,
        });
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    ownerPid: owner.pid,
    gone,
    close: () => channel.close(),
  };
}

const aborted = () => new AppError("aborted", "node_call_aborted", "asked to stop");

const named = (pid: number | undefined) => (pid === undefined ? "a process" : `process ${pid}`);

export const connectionLost = (pid: number | undefined) =>
  new AppError(
    "unavailable",
    "node_connection_lost",
    `${named(pid)} no longer owns the data folder`,
  );

const ownerSilent = (pid: number | undefined) =>
  new AppError(
    "unavailable",
    "node_owner_silent",
    `${named(pid)} owns the data folder and has not answered for ${silenceMsMax / 1_000} s: ` +
      `continue it if it was stopped (kill -CONT), or end it`,
  );

const requestTooLong = (why: string) =>
  new AppError(
    "invalid",
    "node_request_too_long",
    `the request is too long (${why}): write several smaller commits`,
  );

const otherVersion = (owner: { readonly version: string; readonly pid: number }, version: string) =>
  new AppError(
    "unavailable",
    "node_other_version",
    `process ${owner.pid} owns the data folder and runs forager ${owner.version}; this is ` +
      `${version}: restart that process`,
  );
