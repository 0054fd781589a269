import { availableParallelism } from "node:os";
import { startAskedThread, type AskedThread } from "../../../base/process/asked-thread.ts";
import { handedOver } from "./handed-over.ts";
import { createInlineFoldWorker, type FoldWorker } from "../../tiers/hub/fold-worker.ts";
import type { FoldJob, FoldedPart, ScanJob, Scanned } from "../../tiers/hub/fold-worker.ts";
import { programFile } from "../../../base/files/package-files.ts";

/** A request to a thread. */
export type FoldWorkerJob =
  | { readonly kind: "scan"; readonly job: ScanJob }
  | { readonly kind: "fold"; readonly job: FoldJob };

export type FoldWorkerResult = Scanned | FoldedPart;

export interface ThreadFoldWorkerOptions {
  readonly threads?: number;
  /**
   * This thread folds this many bytes itself before it starts others: starting a thread takes
   * longer than a small fold.
   */
  readonly ownBytes?: number;
}

const ownBytesDefault = 2 ** 20;
/** Each thread has its own heap, and with more threads the bucket is the bottleneck. */
const threadsMax = 4;

/** FoldWorker in threads, one per processor. They are started when there is enough to fold. */
export function createThreadFoldWorker(options: ThreadFoldWorkerOptions = {}): FoldWorker {
  const { ownBytes = ownBytesDefault } = options;
  const count = options.threads ?? Math.min(threadsMax, availableParallelism());
  const own = createInlineFoldWorker();
  const threads: AskedThread<FoldWorkerJob, FoldWorkerResult>[] = [];
  let bytes = 0;

  const run = async (job: FoldWorkerJob, size: number): Promise<unknown> => {
    bytes += size;
    if (count < 2 || (bytes <= ownBytes && threads.length === 0)) {
      return job.kind === "scan" ? own.scan(job.job) : own.fold(job.job);
    }
    const program = programFile("ledger/adapters/threads/fold-thread");
    while (threads.length < count) threads.push(startAskedThread(program));
    const idlest = threads.reduce((best, one) => (one.waiting() < best.waiting() ? one : best));
    return idlest.ask(job, handedOver(job.kind === "scan" ? [job.job.body] : job.job.pieces));
  };

  return {
    scan: (job) => run({ kind: "scan", job }, job.body.byteLength) as Promise<Scanned>,
    fold: (job) => run({ kind: "fold", job }, 0) as Promise<FoldedPart>,
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}
