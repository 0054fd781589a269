import { setImmediate as setNodeImmediate } from "node:timers";

/**
 * Calls back once everything that is running now, with the promises it resolved, has had its turn.
 * For joining what one turn of the event loop asks for; it is not a way to wait.
 */
export function afterTick(callback: () => void): void {
  setNodeImmediate(callback);
}
