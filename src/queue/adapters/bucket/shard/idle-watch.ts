import type { Clock, Timer } from "../../../../base/clock.ts";
import type { Random } from "../../../../base/random.ts";

export interface IdleWatch extends AsyncDisposable {
  watch(listener: () => void): () => void;
  /** Something may have become claimable. */
  notify(): void;
  /** A hint that there is something new: look at once, and poll often for a while. */
  hint(): void;
}

export interface IdleWatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly pollMsMax: number;
  /** Reads the store; true if another process changed it. */
  readonly look: (isHinted: boolean) => Promise<boolean>;
}

const pollMsFirst = 250;

/**
 * Polls for changes of other processes while there are listeners: often after a change, then less
 * and less often. If a look fails, the next one tries again; calls of the queue report the error.
 */
export function createIdleWatch({ clock, random, pollMsMax, look }: IdleWatchOptions): IdleWatch {
  const listeners = new Set<() => void>();
  let timer: Timer | undefined;
  let looking: Promise<void> | undefined;
  let pollMs = Math.min(pollMsFirst, pollMsMax);
  let isClosed = false;
  /** A hint arrived after the last look. */
  let isHinted = false;

  const notify = () => {
    for (const listener of listeners) listener();
  };
  const lookOnce = async () => {
    let isChanged = false;
    const isAsked = isHinted;
    isHinted = false;
    try {
      isChanged = await look(isAsked);
    } catch {
      // calls of the queue report the error
    }
    pollMs = isChanged ? Math.min(pollMsFirst, pollMsMax) : Math.min(pollMsMax, pollMs * 2);
    if (isChanged) notify();
  };
  const run = () => {
    timer = undefined;
    looking = lookOnce().then(() => {
      looking = undefined;
      arm(isHinted ? 0 : pollMs * (0.9 + random.next() / 10));
    });
  };
  const arm = (delayMs: number) => {
    timer?.cancel();
    timer = undefined;
    if (isClosed || listeners.size === 0 || looking) return;
    timer = clock.setTimer(delayMs, run, { background: true });
  };

  return {
    watch(listener) {
      const own = () => listener();
      listeners.add(own);
      if (!timer && !looking) arm(pollMs);
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) {
          timer?.cancel();
          timer = undefined;
        }
      };
    },
    notify,
    hint() {
      pollMs = Math.min(pollMsFirst, pollMsMax);
      isHinted = true;
      arm(0);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      listeners.clear();
      timer?.cancel();
      await looking;
    },
  };
}
