import { AppError } from "../../../../base/app-error.ts";
import type { Clock, Timer } from "../../../../base/clock.ts";
import { rememberFile, type OpenedFile } from "../../../../base/files/opened-file.ts";

/** So that a process that only waits for work notices the loss too. */
export const checkEveryMs = 1_000;

/**
 * Notices that the queue's file or its write-ahead log was deleted or replaced while it is open.
 * After that, every call throws the same error until the queue is opened again.
 */
export interface FileGuard extends Disposable {
  /** Throws if the files are no longer those that were opened. Two `stat` calls. */
  check(): void;
  /** Throws if the loss was noticed before; does not check the files. */
  checkKnown(): void;
  /** Checks the files; true if they are lost. */
  isLost(): boolean;
  /** Rejects when the loss is noticed; never resolves. */
  readonly gone: Promise<never>;
}

export interface FileGuardOptions {
  readonly file: string;
  /** The path after resolving links: SQLite names the log after it. */
  readonly realFile: string;
  /** The file as it was before it was opened; absent for a new file. */
  readonly before: OpenedFile | undefined;
  readonly clock: Clock;
  readonly onLost: () => void;
}

export function createFileGuard(options: FileGuardOptions): FileGuard {
  const { file, clock, onLost } = options;
  const opened = [options.before ?? rememberFile(file), rememberFile(`${options.realFile}-wal`)];
  let lost: AppError | undefined;
  const { promise: gone, reject: fail } = Promise.withResolvers<never>();
  gone.catch(() => {}); // awaiting it is optional
  let timer: Timer;

  const look = () => {
    if (lost || opened.every((one) => one.isInPlace())) return;
    lost = replaced(file);
    timer?.cancel();
    fail(lost);
    onLost();
  };
  const checkKnown = () => {
    // A new error for each caller, so that each has its own stack.
    if (lost) throw new AppError(lost.kind, lost.code, lost.message);
  };
  const repeat = () => {
    timer = clock.setTimer(
      checkEveryMs,
      () => {
        repeat();
        look();
      },
      { background: true },
    );
  };
  repeat();

  return {
    check() {
      look();
      checkKnown();
    },
    checkKnown,
    isLost() {
      look();
      return lost !== undefined;
    },
    gone,
    [Symbol.dispose]: () => timer.cancel(),
  };
}

const replaced = (file: string) =>
  new AppError(
    "corrupt",
    "queue_file_replaced",
    `the queue ${file}, or its write-ahead log ${file}-wal, was deleted or replaced while this ` +
      `process had it open. This process stopped using it, because nobody would see what it writes. ` +
      `Stop the other processes that have the queue open. To use the file that is there now, or to ` +
      `begin a new queue, delete ${file}-wal and ${file}-shm, then start again`,
  );
