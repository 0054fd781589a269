import { closable } from "../base/closable.ts";
import { sleep, type Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { unanswered, unknownOutcome } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";

/** The probability of each fault, from 0 (never) to 1. */
export interface Faults {
  /** A write happens, but its answer is lost. */
  readonly lostAnswer?: number;
  /** A request is refused (429, 503) before anything happens. */
  readonly refused?: number;
  /**
   * A write gets no answer, and arrives up to `lateMsMax` later if its condition still holds then.
   */
  readonly lateLanding?: number;
  readonly lateMsMax?: number;
  /** A condition that did not hold is answered with 409 or 500 instead of 412. */
  readonly vagueLoser?: number;
  /** A write whose condition holds is answered with 409, and does not happen. */
  readonly falseConflict?: number;
  /** The answer to a read is lost. */
  readonly lostRead?: number;
  /** The maximum time of a request to the store, and of its answer back. */
  readonly wayMsMax?: number;
}

export type FaultKind = Exclude<keyof Faults, `${string}Max`>;

export interface FaultyBucketOptions {
  readonly bucket: Bucket;
  readonly faults: Faults;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFault?: (kind: FaultKind, key: string) => void;
}

/** A bucket with injected faults: it keeps the contract of the bucket inside, but fails often. */
export function createFaultyBucket(options: FaultyBucketOptions): Bucket {
  const { bucket, faults, clock, random, onFault = () => {} } = options;
  const { lateMsMax = 0, wayMsMax = 0 } = faults;

  const strikes = (kind: FaultKind, key: string) => {
    const chance = faults[kind] ?? 0;
    if (chance === 0 || random.next() >= chance) return false;
    onFault(kind, key);
    return true;
  };
  const travel = async () => {
    if (wayMsMax > 0) await sleep(clock, random.next() * wayMsMax);
  };

  const read = async <T>(key: string, send: () => Promise<T>): Promise<T> => {
    await travel();
    if (strikes("refused", key)) throw unanswered(key, "503 SlowDown");
    const answer = await send();
    await travel();
    if (strikes("lostRead", key)) throw unanswered(key, "connection reset");
    return answer;
  };

  const write = async <T>(
    key: string,
    send: () => Promise<T>,
    condition?: { readonly isLoser: (answer: T) => boolean },
  ): Promise<T> => {
    await travel();
    if (strikes("refused", key)) throw unknownOutcome(key, "503 SlowDown");
    if (strikes("lateLanding", key)) {
      clock.setTimer(random.next() * lateMsMax, () => void send().catch(() => {}));
      throw unknownOutcome(key, "timeout");
    }
    if (condition && strikes("falseConflict", key)) throw unknownOutcome(key, "409 Conflict");
    const answer = await send();
    await travel();
    if (condition?.isLoser(answer) && strikes("vagueLoser", key)) {
      throw unknownOutcome(key, "500 UnknownError");
    }
    if (strikes("lostAnswer", key)) throw unknownOutcome(key, "connection reset");
    return answer;
  };

  return {
    get: (key, more) => read(key, () => bucket.get(key, more)),
    list: (prefix, more) => read(prefix, () => bucket.list(prefix, more)),
    now: () => read("the time", () => bucket.now()),
    putIfAbsent: (key, body) =>
      write(key, () => bucket.putIfAbsent(key, body), {
        isLoser: ({ status }) => status === "exists",
      }),
    putIfMatch: (key, body, etag) =>
      write(key, () => bucket.putIfMatch(key, body, etag), {
        isLoser: ({ status }) => status === "stale",
      }),
    put: (key, body, more) => write(key, () => bucket.put(key, body, more)),
    delete: (key) => write(key, () => bucket.delete(key)),
    traits: () => bucket.traits(),
    ...closable(() => bucket.close()),
  };
}
