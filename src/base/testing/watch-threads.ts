import { createHook } from "node:async_hooks";

/** Threads that are started while it is not disposed of: how many were, and how many still run. */
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
