import { availableParallelism } from "node:os";
import { AppError, type ErrorKind } from "../../../base/app-error.ts";
import { handedOver } from "./handed-over.ts";
import { startThread as startProgram } from "../../../base/start-thread.ts";
import { createOwnMill, type FoldMill } from "../../tiers/fold-mill.ts";
import type { FoldJob, FoldedPart, ScanJob, Scanned } from "../../tiers/fold-mill.ts";

/** To a thread. */
export type MillJob =
  | { readonly kind: "scan"; readonly job: ScanJob }
  | { readonly kind: "fold"; readonly job: FoldJob };

/** From a thread, for each job, in the order of the jobs. */
export type MillAnswer =
  | { readonly kind: "done"; readonly value: Scanned | FoldedPart }
  | {
      readonly kind: "refused";
      readonly error: ErrorKind;
      readonly code: string;
      readonly message: string;
    };

export interface ThreadMillOptions {
  readonly threads?: number;
  /** So much is done by this thread first: starting others takes longer than a small fold. */
  readonly ownBytes?: number;
}

const ownBytesDefault = 16 * 2 ** 20;
/** Each has a heap of its own, and the bucket is the limit soon. */
const threadsMax = 4;

/** FoldMill in threads, one for each processor: started when there is much to do. */
export function createThreadMill(options: ThreadMillOptions = {}): FoldMill {
  const { ownBytes = ownBytesDefault } = options;
  const count = options.threads ?? Math.min(threadsMax, availableParallelism());
  const own = createOwnMill();
  const threads: Thread[] = [];
  let bytes = 0;

  const run = async (job: MillJob, size: number): Promise<unknown> => {
    bytes += size;
    if (count < 2 || (bytes <= ownBytes && threads.length === 0)) {
      return job.kind === "scan" ? own.scan(job.job) : own.fold(job.job);
    }
    while (threads.length < count) threads.push(startThread());
    const idlest = threads.reduce((best, one) => (one.waiting() < best.waiting() ? one : best));
    return idlest.ask(job);
  };

  return {
    scan: (job) => run({ kind: "scan", job }, job.body.byteLength) as Promise<Scanned>,
    fold: (job) => run({ kind: "fold", job }, 0) as Promise<FoldedPart>,
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}

interface Thread {
  ask(job: MillJob): Promise<unknown>;
  waiting(): number;
  end(): Promise<void>;
}

function startThread(): Thread {
  const worker = startProgram(new URL("./mill-thread", import.meta.url));
  const waiting: { resolve(value: unknown): void; reject(error: unknown): void }[] = [];
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    for (const one of waiting.splice(0)) one.reject(failure);
  };
  worker.on("message", (answer: MillAnswer) => {
    const one = waiting.shift()!;
    if (answer.kind === "done") one.resolve(answer.value);
    else one.reject(new AppError(answer.error, answer.code, answer.message));
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new AppError("internal", "ledger_thread", "a thread has ended")));
  return {
    ask: (job) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        waiting.push({ resolve, reject });
        const { kind, job: bytes } = job;
        worker.postMessage(job, handedOver(kind === "scan" ? [bytes.body] : bytes.pieces));
      }),
    waiting: () => waiting.length,
    end: async () => void (await worker.terminate()),
  };
}
