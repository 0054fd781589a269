import { setImmediate as setNodeImmediate } from "node:timers";

/**
 * Calls back once everything that is running now, with the promises it resolved, has had its turn.
 * For joining what one turn of the event loop asks for; it is not a way to wait.
 */
export function afterTick(callback: () => void): void {
  setNodeImmediate(callback);
}

/** Does something with each item, and lets other work run after every `size` of them. */
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
