import { setImmediate as setNodeImmediate } from "node:timers";

/**
 * Calls back after all running code and all promise callbacks it triggers have run. Use it to
 * combine requests of one turn of the event loop, not to wait for something.
 */
export function afterTick(callback: () => void): void {
  setNodeImmediate(callback);
}

/** Processes all items, and lets other work run after every `size` of them. */
export async function inSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  size = 500,
): Promise<void> {
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    if (count % size === 0) await new Promise<void>(afterTick);
  }
}
