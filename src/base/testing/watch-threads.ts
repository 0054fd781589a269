import { createHook } from "node:async_hooks";

/** Counts the threads that were started before it is disposed, and those that still run. */
export interface ThreadWatch extends Disposable {
  started(): number;
  running(): number;
}

export function watchThreads(): ThreadWatch {
  const running = new Set<number>();
  let started = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== "WORKER") return;
      running.add(id);
      started += 1;
    },
    destroy: (id) => void running.delete(id),
  });
  hook.enable();
  return {
    started: () => started,
    running: () => running.size,
    [Symbol.dispose]: () => void hook.disable(),
  };
}
