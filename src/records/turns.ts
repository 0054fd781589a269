import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { RecordIndex } from "./record-index.ts";

/**
 * One thing at a time with files and index, in this process and among all that share the folder.
 * What waits here is done in one turn with what is at it, for a moment; then the others have theirs.
 */
export interface Turns {
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Within a turn: lets other processes have theirs, if they wait. Files may change meanwhile. */
  readonly pause: () => Promise<void>;
}

export interface TurnsOptions {
  readonly index: Pick<RecordIndex, "takeTurn">;
  readonly clock: Clock;
  /** Ends a wait for a turn, and work that pauses, with an AppError `aborted`. */
  readonly signal?: AbortSignal;
  /** Before anything is done in a turn: others may have had theirs. */
  readonly begin: () => void;
  /** After work that has failed half-way. */
  readonly fail: () => void;
}

/** Handing over costs others about a millisecond. */
const turnMsMax = 20;

export function createTurns({ index, clock, signal, begin, fail }: TurnsOptions): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let held: Disposable | undefined;
  let heldSinceMs = 0;

  const take = async () => {
    if (!held) {
      held = await index.takeTurn(clock, signal);
      heldSinceMs = clock.monotonicMs();
    }
    begin();
  };
  const release = () => {
    held?.[Symbol.dispose]();
    held = undefined;
  };
  return {
    inTurn(work) {
      waiting += 1;
      const mine = last.then(async () => {
        try {
          await take();
          return await work();
        } catch (error) {
          fail();
          throw error;
        } finally {
          waiting -= 1;
          if (waiting === 0 || clock.monotonicMs() - heldSinceMs > turnMsMax) release();
        }
      });
      last = mine.catch(() => {});
      return mine;
    },
    async pause() {
      release();
      if (signal?.aborted) throw new AppError("aborted", "records_aborted", "asked to stop");
      await take();
    },
  };
}
