import { openOrMakeQueue } from "../../../app/index.ts";
import type { Queue } from "../../../queue/index.ts";
import type { SettingsContext } from "../../command.ts";

type Context = Pick<SettingsContext, "settings" | "paths">;

/** The queue that a supervisor looks at: another one when the settings name another. */
export interface WatchedQueue extends Pick<Queue, "stats" | "connections">, AsyncDisposable {
  /** The queue of the processes that are started now. */
  current(): Pick<Queue, "claim" | "finish" | "release" | "show" | "logEntry">;
  follow(context: Context): Promise<void>;
  /** Rejects when the queue is gone for good; never resolves. */
  readonly gone: Promise<never>;
  /** Looks at once whether it is gone: a worker process ended, perhaps because it noticed that. */
  check(): void;
}

export async function openWatchedQueue(context: Context): Promise<WatchedQueue> {
  let tell: (error: unknown) => void = () => {};
  const gone = new Promise<never>((_, reject) => (tell = reject));
  gone.catch(() => {}); // heard by whoever awaits it
  const open = async (where: Context) => {
    const opened = await openOrMakeQueue(where);
    opened.gone?.catch((error: unknown) => {
      if (opened === queue) tell(error);
    });
    return opened;
  };
  let queue = await open(context);
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
