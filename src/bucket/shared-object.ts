import { AppError } from "../base/app-error.ts";
import { sleep, type Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { isUnavailable } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";

/**
 * One object that many sessions change by compare-and-swap. With many writers a nonce does not
 * tell a lost answer from a lost race: another may have built on my write before I read it back.
 * So the object carries, for each session, the number of its last commit that was applied.
 */
export interface SharedObject<Value> {
  read(): Promise<Value | undefined>;
  /**
   * Applies `change` to the current value, exactly once, and resolves with what it made. It may be
   * called several times, on newer values. A value returned as it came is not written. Throws
   * `unavailable` where the end stays unclear: then it was applied once or not at all.
   */
  change(change: Change<Value>): Promise<Value>;
}

export interface SharedObjectOptions {
  readonly bucket: Bucket;
  readonly key: string;
  /** One life of one writer; never used again. */
  readonly session: string;
  readonly clock: Clock;
  readonly random: Random;
}

interface Envelope<Value> {
  readonly format: 1;
  readonly commits: Readonly<Record<string, { readonly number: number; readonly atMs: number }>>;
  readonly value: Value;
}

interface Seen<Value> {
  readonly etag: string | undefined;
  readonly envelope: Envelope<Value> | undefined;
  readonly seenAtMs: number;
}

const triesMax = 12;
const backoffMs = { first: 25, max: 2_000 };
/** A session that has not written for so long resolves nothing any more. */
const commitKeptMs = 3_600_000;

export function createSharedObject<Value>(options: SharedObjectOptions): SharedObject<Value> {
  const { bucket, key, session, clock, random } = options;
  let lastNumber = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const read = async (): Promise<Seen<Value>> => {
    const got = await bucket.get(key);
    if (got.status === "found") {
      return { etag: got.etag, envelope: decode<Value>(got.body, key), seenAtMs: got.seenAtMs };
    }
    // A commit is dated by the store's clock also where there is no object yet to tell it.
    const { latestMs } = await bucket.now();
    return { etag: undefined, envelope: undefined, seenAtMs: latestMs };
  };
  const readOrUndefined = async () => {
    try {
      return await read();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return undefined;
    }
  };

  /** The body of a commit on top of what was seen; undefined where nothing changes. */
  const prepare = (seen: Seen<Value>, { number, change }: Commit<Value>) => {
    const before = seen.envelope?.value;
    const value = change(before);
    if (seen.envelope && value === before) return undefined;
    const kept = Object.entries(seen.envelope?.commits ?? {}).filter(
      ([, { atMs }]) => seen.seenAtMs - atMs < commitKeptMs,
    );
    const commits = { ...Object.fromEntries(kept), [session]: { number, atMs: seen.seenAtMs } };
    const envelope: Envelope<Value> = { format: 1, commits, value };
    return { value, body: Buffer.from(`${JSON.stringify(envelope)}\n`) };
  };

  const apply = async (change: Change<Value>): Promise<Value> => {
    const number = ++lastNumber;
    let base = await read();
    let next = prepare(base, { number, change });
    let lastError: unknown;
    for (let attempt = 0; attempt < triesMax; attempt++) {
      if (next === undefined) return base.envelope!.value;
      try {
        const answer =
          base.etag === undefined
            ? await bucket.putIfAbsent(key, next.body)
            : await bucket.putIfMatch(key, next.body, base.etag);
        if ("etag" in answer) return next.value;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        lastError = error;
      }
      await sleep(clock, random.next() * waitMsMax(attempt));
      const found = await readOrUndefined();
      if (!found) continue;
      if ((found.envelope?.commits[session]?.number ?? 0) >= number) return next.value;
      if (found.etag === base.etag) continue; // it may still arrive: the same again
      base = found;
      next = prepare(base, { number, change });
    }
    const message = `${key} gave no clear answer: whether the change was applied is not known`;
    throw new AppError("unavailable", "shared_object_unresolved", message, { cause: lastError });
  };

  return {
    read: async () => (await read()).envelope?.value,
    change(change) {
      // One after the other: a number stands for all commits of the session before it.
      const mine = turn.then(() => apply(change));
      turn = mine.catch(() => {});
      return mine;
    },
  };
}

type Change<Value> = (value: Value | undefined) => Value;

interface Commit<Value> {
  readonly number: number;
  readonly change: Change<Value>;
}

const waitMsMax = (attempt: number) => Math.min(backoffMs.max, backoffMs.first * 2 ** attempt);

function decode<Value>(body: Uint8Array, key: string): Envelope<Value> {
  let found: Partial<Record<keyof Envelope<Value>, unknown>> | undefined;
  try {
    found = JSON.parse(Buffer.from(body).toString()) as typeof found;
  } catch {
    // said below, together with JSON of another kind
  }
  if (typeof found?.format === "number" && found.format > 1) {
    const message = `${key} was written by a newer version: upgrade this node; nothing was changed`;
    throw new AppError("invalid", "shared_object_newer", message);
  }
  if (found?.format === 1 && typeof found.commits === "object" && "value" in found) {
    return found as Envelope<Value>;
  }
  const message = `${key} is not ours: something else writes to this bucket; nothing was changed`;
  throw new AppError("corrupt", "shared_object_corrupt", message);
}
