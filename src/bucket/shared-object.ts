import { createSerial } from "../base/serial.ts";
import { AppError } from "../base/app-error.ts";
import { sleep, type Clock } from "../base/clock.ts";
import { formats, isReadable, markOf, type FormatMark } from "../base/text/formats.ts";
import type { Random } from "../base/random.ts";
import { isUnavailable } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";

/**
 * One object that many sessions change by compare-and-swap. With many writers, a nonce cannot
 * distinguish a lost answer from a lost race, because another session may have changed the object
 * again before this one reads it. So the object contains, for each session, the number of its last
 * applied commit.
 */
export interface SharedObject<Value> {
  /** The current value. With `isSticky`, the store does not send an unchanged object again. */
  read(): Promise<Value | undefined>;
  /** The last value read or written, without a request; undefined before the first answer. */
  seen(): Value | undefined;
  /** True if the last read showed a change by another session that was at most this old. */
  hasCompany(withinMs: number): boolean;
  /**
   * Applies `change` to the current value exactly once, and resolves with the result. `change` may
   * be called several times, with newer values. If it returns the value unchanged, nothing is
   * written. Throws `unavailable` if the outcome stays unknown: then the change was applied once or
   * not at all.
   */
  change(change: ObjectChange<Value>): Promise<Value>;
}

/**
 * May be called several times; only the result of the last call counts. `number`: the commit's
 * number.
 */
export type ObjectChange<Value> = (
  value: Value | undefined,
  number: number,
) => Value | Promise<Value>;

export interface SharedObjectOptions<Value> {
  readonly bucket: Bucket;
  readonly key: string;
  /** Identifies one run of one writer; never used again. */
  readonly session: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How the value is encoded. Default: JSON. */
  readonly codec?: SharedCodec<Value>;
  /**
   * Starts from the last value read or written without reading again. If that is stale, the write
   * is refused.
   */
  readonly isSticky?: boolean;
  /** How long a change retries until it gives up. */
  readonly giveUpMs?: number;
  /** Called when a write was refused or its outcome is unknown, before the object is read again. */
  readonly onConflict?: () => void;
}

export interface SharedCodec<Value> {
  encode(envelope: Envelope<Value>): Uint8Array;
  /** Throws `corrupt` if the body is not ours, `invalid` if a newer version wrote it. */
  decode(body: Uint8Array, key: string): Envelope<Value>;
}

export interface Envelope<Value> {
  readonly format: number;
  readonly commits: Readonly<Record<string, { readonly number: number; readonly atMs: number }>>;
  readonly value: Value;
}

interface Seen<Value> {
  readonly etag: string | undefined;
  readonly envelope: Envelope<Value> | undefined;
  /** The store's clock at that time. */
  readonly seenAtMs: number;
  readonly monotonicMs: number;
  /** This machine's clock when the answer arrived. */
  readonly answeredMs: number;
}

const backoffMs = { first: 25, max: 2_000 };
const refusedMsMax = 60;
const giveUpMsDefault = 15_000;
/**
 * Try at least this often: if the process was paused, the time may be over after a single attempt.
 */
const triesMin = 4;
/** After this time others have probably written. A read costs a twelfth of a refused write. */
const freshMs = 2_000;
/** If another session interfered with the last change, only a read this recent is reused. */
const freshMsInCompany = 50;
/** The commit numbers of a session that has not written for this long are dropped. */
const commitKeptMs = 3_600_000;

export function createSharedObject<Value>(
  options: SharedObjectOptions<Value>,
): SharedObject<Value> {
  const { bucket, key, session, clock, random, codec = jsonCodec<Value>() } = options;
  const { isSticky = false, giveUpMs = giveUpMsDefault, onConflict = () => {} } = options;
  let lastNumber = 0;
  let last: Seen<Value> | undefined;
  /** One at a time: the number of a commit covers all earlier commits of the session. */
  const changes = createSerial();
  /** True if other sessions write too: then read before writing. */
  let isContended = false;

  const read = async (): Promise<Seen<Value>> => {
    const before = last;
    const known = isSticky && before?.etag !== undefined ? before : undefined;
    // Ignore an answer that is older than a later read or a commit.
    const keep = (seen: Seen<Value>) => {
      if (last === before) last = seen;
      return seen;
    };
    const got = await bucket.get(key, known ? { ifNoneMatch: known.etag! } : {});
    const monotonicMs = clock.monotonicMs();
    const answeredMs = monotonicMs;
    if (got.status === "unchanged") return keep({ ...known!, answeredMs });
    if (got.status === "found") {
      const envelope = codec.decode(got.body, key);
      const { etag, seenAtMs } = got;
      return keep({ etag, envelope, seenAtMs, monotonicMs, answeredMs });
    }
    // Use the store's clock for the commit even if there is no object yet that carries a time.
    const { latestMs } = await bucket.now();
    const seenAtMs = latestMs;
    return keep({ etag: undefined, envelope: undefined, seenAtMs, monotonicMs, answeredMs });
  };
  const readOrUndefined = async () => {
    try {
      return await read();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return undefined;
    }
  };

  /** The body of a commit on top of a read value; undefined if nothing changes. */
  const prepare = async (base: Seen<Value>, { number, change }: Commit<Value>) => {
    const before = base.envelope?.value;
    const value = await change(before, number);
    if (base.envelope && value === before) return undefined;
    const atMs = Math.floor(base.seenAtMs + clock.monotonicMs() - base.monotonicMs);
    const kept = Object.entries(base.envelope?.commits ?? {}).filter(
      ([, commit]) => atMs - commit.atMs < commitKeptMs,
    );
    const commits = { ...Object.fromEntries(kept), [session]: { number, atMs } };
    const envelope: Envelope<Value> = { ...markOf(formats.sharedObject.newest), commits, value };
    return { envelope, body: codec.encode(envelope), atMs };
  };

  const freshest = (): Seen<Value> | undefined => {
    if (last?.etag === undefined) return undefined;
    const ageMs = clock.monotonicMs() - last.answeredMs;
    return ageMs < (isContended ? freshMsInCompany : freshMs) ? last : undefined;
  };
  const lookAgain = async (): Promise<Seen<Value>> => {
    const before = last?.etag;
    const found = await read();
    isContended &&= found.etag !== before;
    return found;
  };

  const apply = async (change: ObjectChange<Value>): Promise<Value> => {
    const commit = { number: ++lastNumber, change };
    const deadlineMs = clock.monotonicMs() + giveUpMs;
    const known = isSticky ? freshest() : undefined;
    let base = known ?? (await lookAgain());
    let next = await prepare(base, commit);
    let lastError: unknown;
    for (let attempt = 0; attempt < triesMin || clock.monotonicMs() < deadlineMs; attempt++) {
      if (next === undefined) {
        // A value that was just read need not be read again.
        const now = base === known ? await read() : base;
        if (now.etag === base.etag) return base.envelope!.value;
        base = now;
        next = await prepare(base, commit);
        continue;
      }
      const monotonicMs = clock.monotonicMs();
      let isRefused = false;
      try {
        const answer =
          base.etag === undefined
            ? await bucket.putIfAbsent(key, next.body)
            : await bucket.putIfMatch(key, next.body, base.etag);
        if ("etag" in answer) {
          const { envelope, atMs: seenAtMs } = next;
          const answeredMs = clock.monotonicMs();
          last = { etag: answer.etag, envelope, seenAtMs, monotonicMs, answeredMs };
          return envelope.value;
        }
        isRefused = true;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        lastError = error;
      }
      onConflict();
      isContended = true;
      // After a lost race, do not wait so long that the next one is lost too.
      const waitMs = isRefused ? Math.min(refusedMsMax, waitMsMax(attempt)) : waitMsMax(attempt);
      await sleep(clock, random.next() * waitMs);
      const found = await readOrUndefined();
      if (!found) continue;
      if ((found.envelope?.commits[session]?.number ?? 0) >= commit.number) {
        return next.envelope.value;
      }
      if (found.etag === base.etag) continue; // it may still arrive: send the same again
      base = found;
      next = await prepare(base, commit);
    }
    last = undefined; // the last write may still arrive
    const message = `${key} gave no clear answer: whether the change was applied is not known`;
    throw new AppError("unavailable", "shared_object_unresolved", message, { cause: lastError });
  };

  return {
    read: async () => (await read()).envelope?.value,
    seen: () => last?.envelope?.value,
    hasCompany(withinMs) {
      const commits = Object.entries(last?.envelope?.commits ?? {});
      const latestMs = Math.max(...commits.map(([, { atMs }]) => atMs));
      return commits.some(([name, { atMs }]) => name !== session && latestMs - atMs <= withinMs);
    },
    change: (change) => changes.run(() => apply(change)),
  };
}

interface Commit<Value> {
  readonly number: number;
  readonly change: ObjectChange<Value>;
}

const waitMsMax = (attempt: number) => Math.min(backoffMs.max, backoffMs.first * 2 ** attempt);

const jsonCodec = <Value>(): SharedCodec<Value> => ({
  encode: (envelope) => Buffer.from(`${JSON.stringify(envelope)}\n`),
  decode: decodeJson<Value>,
});

function decodeJson<Value>(body: Uint8Array, key: string): Envelope<Value> {
  let found: (Partial<Record<keyof Envelope<Value>, unknown>> & FormatMark) | undefined;
  try {
    found = JSON.parse(Buffer.from(body).toString()) as typeof found;
  } catch {
    // handled below, like JSON of another format
  }
  const isOurs = isReadable("sharedObject", found, key);
  if (isOurs && typeof found?.commits === "object" && "value" in found) {
    return found as Envelope<Value>;
  }
  const message = `${key} is not ours: something else writes to this bucket; nothing was changed`;
  throw new AppError("corrupt", "shared_object_corrupt", message);
}
