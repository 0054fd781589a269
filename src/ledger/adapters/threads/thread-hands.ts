import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { AppError, type ErrorKind } from "../../../base/app-error.ts";
import { createOwnHands, type FoldHands } from "../../tiers/fold-hands.ts";
import type { FoldJob, FoldedPart, ScanJob, Scanned } from "../../tiers/fold-hands.ts";

/** To a thread. */
export type HandJob =
  | { readonly kind: "scan"; readonly job: ScanJob }
  | { readonly kind: "fold"; readonly job: FoldJob };

/** From a thread, for each job, in the order of the jobs. */
export type HandAnswer =
  | { readonly kind: "done"; readonly value: Scanned | FoldedPart }
  | {
      readonly kind: "refused";
      readonly error: ErrorKind;
      readonly code: string;
      readonly message: string;
    };

export interface ThreadHandsOptions {
  readonly threads?: number;
  /** So much is done by this thread first: starting others takes longer than a small fold. */
  readonly ownBytes?: number;
}

const ownBytesDefault = 16 * 2 ** 20;
/** Each has a heap of its own, and the bucket is the limit soon. */
const threadsMax = 4;

/** FoldHands in threads, one for each processor: started when there is much to do. */
export function createThreadHands(options: ThreadHandsOptions = {}): FoldHands {
  const { ownBytes = ownBytesDefault } = options;
  const count = options.threads ?? Math.min(threadsMax, availableParallelism());
  const own = createOwnHands();
  const threads: Thread[] = [];
  let bytes = 0;

  const run = async (job: HandJob, size: number): Promise<unknown> => {
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
  ask(job: HandJob): Promise<unknown>;
  waiting(): number;
  end(): Promise<void>;
}

function startThread(): Thread {
  const worker = startWorker();
  const waiting: { resolve(value: unknown): void; reject(error: unknown): void }[] = [];
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    for (const one of waiting.splice(0)) one.reject(failure);
  };
  worker.on("message", (answer: HandAnswer) => {
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
        worker.postMessage(job);
      }),
    waiting: () => waiting.length,
    end: async () => void (await worker.terminate()),
  };
}

function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./thread-hand.js", import.meta.url));
  }
  // In development it is source, and a thread does not inherit what reads TypeScript.
  const program = JSON.stringify(new URL("./thread-hand.ts", import.meta.url).href);
  const begin = `import("tsx/esm/api").then((tsx) => { tsx.register(); return import(${program}); });`;
  return new Worker(begin, { eval: true });
}
