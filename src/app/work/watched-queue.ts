import type { Queue } from "../../queue/index.ts";
import { openOrMakeQueue, type ConfiguredQueueOptions } from "../queue/configured-queue.ts";

/** The queue that a supervisor reads; replaced when the settings name another one. */
export interface WatchedQueue extends Pick<Queue, "stats" | "connections">, AsyncDisposable {
  /** The queue of newly started worker processes. */
  current(): Pick<
    Queue,
    | "add"
    | "claim"
    | "finish"
    | "release"
    | "show"
    | "logEntry"
    | "ended"
    | "now"
    | "stats"
    | "jobs"
    | "openJob"
    | "server"
    | "browse"
    | "job"
    | "hasTaskLimit"
  >;
  follow(changed: ConfiguredQueueOptions): Promise<void>;
  /** Rejects when the queue no longer exists; never resolves. */
  readonly gone: Promise<never>;
  /**
   * Checks immediately, because a worker process that exited may have noticed that the queue is
   * gone.
   */
  check(): void;
}

export async function openWatchedQueue(options: ConfiguredQueueOptions): Promise<WatchedQueue> {
  const { promise: gone, reject: onGone } = Promise.withResolvers<never>();
  gone.catch(() => {}); // the caller that awaits it handles it
  const open = async (where: ConfiguredQueueOptions) => {
    const opened = await openOrMakeQueue(where);
    opened.gone?.catch((error: unknown) => {
      if (opened === queue) onGone(error);
    });
    return opened;
  };
  let queue = await open(options);
  return {
    gone,
    check: () => void queue.now().catch(() => {}),
    current: () => queue,
    stats: () => queue.stats(),
    connections: () => queue.connections(),
    async follow(changed) {
      const before = queue;
      queue = await open(changed);
      await before[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}
