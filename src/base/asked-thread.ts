import { parentPort, type WorkerOptions } from "node:worker_threads";
import { AppError, assert, type ErrorKind } from "./app-error.ts";
import { startThread } from "./start-thread.ts";

/** A thread of ours that does jobs in their order. What its work refuses is refused here. */
export interface AskedThread<Job, Answer> {
  /** `moved`: buffers that go over to the thread, and are of no use here any more. */
  ask(job: Job, moved?: ArrayBuffer[]): Promise<Answer>;
  /** Jobs that were not answered yet. */
  waiting(): number;
  end(): Promise<void>;
}

/** From the thread, for each job. */
type Reply<Answer> =
  | { readonly kind: "done"; readonly answer: Answer }
  | {
      readonly kind: "refused";
      readonly error: ErrorKind;
      readonly code: string;
      readonly message: string;
    };

/** `program` is named without its ending, and calls `answerJobs`. */
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

/** In the thread: does jobs as they come. `movedWith`: buffers of an answer that go over with it. */
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
      if (!(error instanceof AppError)) throw error; // a bug: it ends the thread, and what it is for
      const { kind, code, message } = error;
      return { kind: "refused", error: kind, code, message };
    }
  };
  port.on("message", (job: Job) => {
    const reply = replyTo(job);
    port.postMessage(reply, reply.kind === "done" ? movedWith(reply.answer) : []);
  });
}
