import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { ProblemError } from "./problems.ts";

export interface RunResult {
  /** The JSON of the response. */
  readonly text: string;
}

export interface IdempotentRequest {
  /** `Idempotency-Key`, chosen by the client. */
  readonly key: string;
  /** Identifies caller and route: the same key elsewhere is a different key. */
  readonly place: string;
  readonly request: string;
  /** The response contains a secret: it is not kept, and a repeated request is refused. */
  readonly showsSecret: boolean;
}

interface Kept {
  readonly hash: string;
  readonly result: Promise<RunResult>;
  readonly untilMs: number;
}

const keepMs = 24 * 3_600_000;
const keptMax = 1_000;
const keptBytesMax = 64_000;

/**
 * Answers a repeated write without executing it again, even while the first request is running. A
 * write that failed can be repeated. Responses are kept in memory for a day.
 */
export function createIdempotentRuns(clock: Clock) {
  const kept = new Map<string, Kept>();
  return {
    async once(
      { key, place, request, showsSecret }: IdempotentRequest,
      run: () => Promise<RunResult>,
    ): Promise<RunResult> {
      if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
        const detail = "Idempotency-Key: write 1 to 200 visible characters";
        throw new ProblemError(400, "bad_request", detail);
      }
      const id = `${place} ${key}`;
      const hash = createHash("sha256").update(request).digest("base64url");
      const before = kept.get(id);
      if (before && before.untilMs > clock.nowMs()) {
        if (before.hash === hash) return before.result;
        const detail = "Idempotency-Key: it was used for another request; choose a new one";
        throw new ProblemError(422, "key_reused", detail);
      }
      const result = run();
      const shown = showsSecret ? result.then(shownOnce) : result;
      shown.catch(() => {}); // callers that repeat the request handle the error
      kept.set(id, { hash, result: shown, untilMs: clock.nowMs() + keepMs });
      if (kept.size > keptMax) kept.delete(kept.keys().next().value!);
      const done = await result.catch((error: unknown) => {
        kept.delete(id);
        throw error;
      });
      if (done.text.length > keptBytesMax) kept.delete(id);
      return done;
    },
  };
}

/**
 * A repeated request must not reveal the secret of the first response to somebody who knows the
 * key.
 */
function shownOnce(): never {
  const detail =
    "this was done already, and its answer had a secret that is shown only once: look at what is there, " +
    "remove what you cannot use, and send the request with another Idempotency-Key";
  throw new ProblemError(409, "shown_once", detail);
}
