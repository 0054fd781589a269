import type { Clock, Timer } from "../../base/clock.ts";
import { ended } from "./ended.ts";
import type { NodeWake } from "../node-api.ts";

/** Wake-ups of the node's processes. A wake-up that is lost only delays work until the next poll. */
export interface WakeUps extends NodeWake {
  /** Call when another node has added tasks. */
  receive(): void;
}

/**
 * At most one wake-up per second: a process that looks at the queue sees everything added before.
 */
const pauseMs = 1_000;

export function createWakeUps(options: {
  readonly clock: Clock;
  /** Notifies other nodes. */
  readonly notifyNodes: () => void;
}): WakeUps {
  const listeners = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of listeners) wake();
  };
  const receive = paced(options.clock, wakeAll);
  const added = paced(options.clock, () => {
    options.notifyNodes();
    wakeAll();
  });
  return {
    added: async () => added(),
    receive,
    async listen({ onProgress, signal }) {
      const wake = () => onProgress?.(true);
      listeners.add(wake);
      await ended(signal);
      listeners.delete(wake);
    },
  };
}

/** The first call acts at once; further calls within the pause act together at its end. */
export function paced(clock: Clock, act: () => void): () => void {
  let timer: Timer | undefined;
  let isDue = false;
  const pause = () => {
    timer = clock.setTimer(pauseMs, end, { background: true });
  };
  const end = () => {
    timer = undefined;
    if (!isDue) return;
    isDue = false;
    act();
    pause();
  };
  return () => {
    if (timer) return void (isDue = true);
    act();
    pause();
  };
}
