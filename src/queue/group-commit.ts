import { AppError, assert } from "../base/app-error.ts";
import { afterTick } from "../base/tick.ts";
import type { Answer, Operation } from "./operation.ts";
import type { QueueStore } from "./queue-store.ts";

/** Operations of one commit at most; more wait for the next. */
const groupMax = 256;

export type Submit = <O extends Operation>(operation: O) => Promise<Answer<O>>;

interface Waiter {
  readonly operation: Operation;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins what one turn of the event loop asks for into one commit. One commit is under way at a
 * time, so operations keep their order; what comes meanwhile goes together into the next.
 */
export function createGroupCommit(store: QueueStore): {
  readonly submit: Submit;
  /** Resolves when all that was submitted has been answered. */
  readonly idle: () => Promise<void>;
} {
  let waiting: Waiter[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupMax);
      try {
        const answers = await store.commit(group.map(({ operation }) => operation));
        assert(answers.length === group.length, "a store answers every operation");
        group.forEach(({ resolve, reject }, index) => {
          const answer = answers[index];
          if (answer instanceof AppError) reject(answer);
          else resolve(answer as never);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    flushing = undefined;
  }

  return {
    submit: (operation) =>
      new Promise((resolve, reject) => {
        waiting.push({ operation, resolve, reject });
        flushing ??= new Promise((done) => afterTick(() => void flush().then(done)));
      }),
    idle: async () => flushing,
  };
}
