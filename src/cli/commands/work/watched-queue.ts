import type { Queue } from "../../../queue/index.ts";
import type { SettingsContext } from "../../command.ts";
import { openOrMakeQueue } from "../queue/open-queue.ts";

type Context = Pick<SettingsContext, "settings" | "paths">;

/** The queue that a supervisor looks at: another one when the settings name another. */
export interface WatchedQueue extends Pick<Queue, "stats" | "connections">, AsyncDisposable {
  follow(context: Context): Promise<void>;
}

export async function openWatchedQueue(context: Context): Promise<WatchedQueue> {
  let queue = await openOrMakeQueue(context);
  return {
    stats: () => queue.stats(),
    connections: () => queue.connections(),
    async follow(changed) {
      const before = queue;
      queue = await openOrMakeQueue(changed);
      await before[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}
