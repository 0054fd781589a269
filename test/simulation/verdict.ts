import { Violation } from "./lease-run.ts";
import type { World } from "./world.ts";

export type Fail = (message: string) => void;

/**
 * The first thing that went wrong. It is found in the middle of others' work, where an error would
 * be taken for one of theirs; so it is noted there, and thrown between two moments.
 */
export interface Verdict {
  readonly fail: Fail;
  /** The program of a node ended with an error, which is a violation too. */
  readonly crash: (error: Error) => void;
  readonly check: () => void;
}

export function createVerdict({ tell }: World): Verdict {
  let first: Error | undefined;
  return {
    fail(message) {
      tell(message);
      first ??= new Violation(message);
    },
    crash: (error) => void (first ??= error),
    check() {
      if (first) throw first;
    },
  };
}
