import { parentPort, type WorkerOptions } from "node:worker_threads";
import { AppError, assert, type ErrorKind } from "../app-error.ts";
import { startThread } from "./start-thread.ts";

/**
 * A worker thread of Forager. It runs jobs in the order of `ask`. An AppError of a job rejects its
 * `ask`.
 */
export interface AskedThread<Job, Answer> {
  /** `moved`: buffers that are transferred to the thread; the caller cannot use them any more. */
  ask(job: Job, moved?: ArrayBuffer[]): Promise<Answer>;
  /** The number of jobs that have no answer yet. */
  waiting(): number;
  end(): Promise<void>;
}

/** The thread's reply to one job. */
type Reply<Answer> =
  | { readonly kind: "done"; readonly answer: Answer }
  | {
      readonly kind: "refused";
      readonly error: ErrorKind;
      readonly code: string;
      readonly message: string;
    };

/** `program`: path without the file extension. The program must call `answerJobs`. */
export function startAskedThread<Job, Answer>(
  program: URL,
  options: WorkerOptions = {},
): AskedThread<Job, Answer> {
  const worker = startThread(program, options);
  const waiting: { resolve(answer: Answer): void; reject(error: unknown): void }[] = [];
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    for (const one of waiting.splice(0)) one.reject(failure);
  };
  worker.on("message", (reply: Reply<Answer>) => {
    const one = waiting.shift()!;
    if (reply.kind === "done") one.resolve(reply.answer);
    else one.reject(new AppError(reply.error, reply.code, reply.message));
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new AppError("internal", "thread_ended", "a thread has ended")));
  return {
    ask: (job, moved = []) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        waiting.push({ resolve, reject });
        worker.postMessage(job, moved);
      }),
    waiting: () => waiting.length,
    end: async () => void (await worker.terminate()),
  };
}

/**
 * To be called in the thread: runs each job that arrives. `movedWith`: buffers to transfer with an
 * answer.
 */
export function answerJobs<Job, Answer>(
  work: (job: Job) => Answer,
  movedWith: (answer: Answer) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  assert(port, "this is the program of a thread");
  const replyTo = (job: Job): Reply<Answer> => {
    try {
      return { kind: "done", answer: work(job) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error; // a bug ends the thread
      const { kind, code, message } = error;
      return { kind: "refused", error: kind, code, message };
    }
  };
  port.on("message", (job: Job) => {
    const reply = replyTo(job);
    port.postMessage(reply, reply.kind === "done" ? movedWith(reply.answer) : []);
  });
}
