import { createSerial } from "../base/serial.ts";
import { AppError } from "../base/app-error.ts";
import { sleep, type Clock } from "../base/clock.ts";
import { formats, isReadable, type FormatMark } from "../base/formats.ts";
import type { Random } from "../base/random.ts";
import { isUnavailable } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";

/**
 * One object that many sessions change by compare-and-swap. With many writers a nonce does not
 * tell a lost answer from a lost race: another may have built on my write before I read it back.
 * So the object carries, for each session, the number of its last commit that was applied.
 */
export interface SharedObject<Value> {
  /** As it is now. With `isSticky`, an object that has not changed is not sent again. */
  read(): Promise<Value | undefined>;
  /** What was last seen of it, without asking; undefined before the first answer. */
  seen(): Value | undefined;
  /** Whether another session changed it within that time before what was last seen. */
  hasCompany(withinMs: number): boolean;
  /**
   * Applies `change` to the current value, exactly once, and resolves with what it made. It may be
   * called several times, on newer values. A value returned as it came is not written. Throws
   * `unavailable` where the end stays unclear: then it was applied once or not at all.
   */
  change(change: ObjectChange<Value>): Promise<Value>;
}

/** May be called several times; only the last call counts. `number` is that of the commit. */
export type ObjectChange<Value> = (
  value: Value | undefined,
  number: number,
) => Value | Promise<Value>;

export interface SharedObjectOptions<Value> {
  readonly bucket: Bucket;
  readonly key: string;
  /** One life of one writer; never used again. */
  readonly session: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How it is written; absent, as JSON. */
  readonly codec?: SharedCodec<Value>;
  /** Builds on what was last seen or written, without reading it again: a wrong guess is refused. */
  readonly isSticky?: boolean;
  /** How long a change tries to get a clear answer. */
  readonly giveUpMs?: number;
  /** A write was refused or unclear, and the object is looked at again. */
  readonly onConflict?: () => void;
}

export interface SharedCodec<Value> {
  encode(envelope: Envelope<Value>): Uint8Array;
  /** Throws where the body is not ours (`corrupt`) or newer (`invalid`). */
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
  /** The store's clock then, and this machine's. */
  readonly seenAtMs: number;
  readonly monotonicMs: number;
  /** This machine's when the answer was there. */
  readonly answeredMs: number;
}

const backoffMs = { first: 25, max: 2_000 };
const refusedMsMax = 60;
const giveUpMsDefault = 15_000;
/** A process that was stopped for a while, or a slow one, has not tried enough by its clock alone. */
const triesMin = 4;
/** After that long others have most likely written: to look costs a twelfth of a refused write. */
const freshMs = 2_000;
/** The same where somebody else was in the way of the last change: only what was just seen counts. */
const freshMsInCompany = 50;
/** A session that has not written for so long resolves nothing any more. */
const commitKeptMs = 3_600_000;

export function createSharedObject<Value>(
  options: SharedObjectOptions<Value>,
): SharedObject<Value> {
  const { bucket, key, session, clock, random, codec = jsonCodec<Value>() } = options;
  const { isSticky = false, giveUpMs = giveUpMsDefault, onConflict = () => {} } = options;
  let lastNumber = 0;
  let last: Seen<Value> | undefined;
  /** One after the other: a number stands for all commits of the session before it. */
  const changes = createSerial();
  /** Others write here too, as far as is known: then a look comes before a write. */
  let isContended = false;

  const read = async (): Promise<Seen<Value>> => {
    const before = last;
    const known = isSticky && before?.etag !== undefined ? before : undefined;
    // An answer that was overtaken by a commit, or by a later read, is not news.
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
    // A commit is dated by the store's clock also where there is no object yet to tell it.
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

  /** The body of a commit on top of what was seen; undefined where nothing changes. */
  const prepare = async (base: Seen<Value>, { number, change }: Commit<Value>) => {
    const before = base.envelope?.value;
    const value = await change(before, number);
    if (base.envelope && value === before) return undefined;
    const atMs = Math.floor(base.seenAtMs + clock.monotonicMs() - base.monotonicMs);
    const kept = Object.entries(base.envelope?.commits ?? {}).filter(
      ([, commit]) => atMs - commit.atMs < commitKeptMs,
    );
    const commits = { ...Object.fromEntries(kept), [session]: { number, atMs } };
    const envelope: Envelope<Value> = { format: formats.sharedObject.newest, commits, value };
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
        // What was just looked at need not be looked at again to be sure of it.
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
      // Who lost a race must not also come late to the next one.
      const waitMs = isRefused ? Math.min(refusedMsMax, waitMsMax(attempt)) : waitMsMax(attempt);
      await sleep(clock, random.next() * waitMs);
      const found = await readOrUndefined();
      if (!found) continue;
      if ((found.envelope?.commits[session]?.number ?? 0) >= commit.number) {
        return next.envelope.value;
      }
      if (found.etag === base.etag) continue; // it may still arrive: the same again
      base = found;
      next = await prepare(base, commit);
    }
    last = undefined; // what was sent last may still arrive
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
    // said below, together with JSON of another kind
  }
  const isOurs = isReadable("sharedObject", found, key);
  if (isOurs && typeof found?.commits === "object" && "value" in found) {
    return found as Envelope<Value>;
  }
  const message = `${key} is not ours: something else writes to this bucket; nothing was changed`;
  throw new AppError("corrupt", "shared_object_corrupt", message);
}
