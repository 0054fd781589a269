import { AppError, assert } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { formats } from "../../base/formats.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { isUnavailable } from "../bucket-error.ts";
import type { Bucket, Got } from "../bucket.ts";
import { decodeLease, encodeLease, leaseKey, type LeaseRecord } from "./lease-record.ts";
import {
  deadlineMs,
  freeAtAgeMs,
  judgeWrite,
  type ReadBack,
  type WriteAnswer,
} from "./lease-rules.ts";

export interface LeaseOptions {
  readonly bucket: Bucket;
  /** Which role: `lease/<name>.json`. */
  readonly name: string;
  /** Which node, for people. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly ttlMs?: number;
  readonly marginMs?: number;
}

export const leaseTtlMsDefault = 60_000;
/** Stamps of whole seconds need two of them; the rest is for clocks that differ. */
export const leaseMarginMsDefault = 5_000;
const marginMsMin = 2_000;
const triesMax = 8;
const backoffMs = { first: 50, max: 2_000 };

export type LeaseAttempt =
  | { readonly status: "held"; readonly epoch: number }
  /** `freeInMs`: when it can be free at the earliest, if its holder does nothing. */
  | { readonly status: "taken"; readonly by: LeaseRecord; readonly freeInMs: number }
  /** Someone was quicker. */
  | { readonly status: "lost" };

/**
 * A role that one session in the fleet holds at a time. One object is one session; it is used by
 * one caller at a time. `isHeld` is true only until its own deadline, whatever the store says, and
 * costs nothing: look before every act. It cannot guard an act that takes long or that a paused
 * process does after its pause: that is what the epoch is for.
 */
export interface BucketLease {
  /** One try. A store that gives no clear answer throws `unavailable`, and nothing is held. */
  acquire(): Promise<LeaseAttempt>;
  /** Moves the deadline. "lost": it is over, stop at once. Throws like `acquire`; the old deadline stands. */
  renew(): Promise<"held" | "lost">;
  /** Gives it back, so that others need not wait. Nothing is held afterwards, whatever happens. */
  release(): Promise<void>;
  isHeld(): boolean;
  /** Undefined while not held. */
  epoch(): number | undefined;
  /** Milliseconds until the deadline; 0 when not held. */
  leftMs(): number;
  /** What the store says; undefined when it was never taken. */
  show(): Promise<LeaseView | undefined>;
  /** Takes it from whoever holds it, for people who know that the holder is gone. */
  forceRelease(reason: string): Promise<"released" | "free" | "lost">;
}

export interface LeaseView {
  readonly record: LeaseRecord;
  /** Since its last write, by the store's clock. */
  readonly ageMs: number;
  readonly isExpired: boolean;
}

export function createLease(options: LeaseOptions): BucketLease {
  const { bucket, name, owner, clock, random } = options;
  const { ttlMs = leaseTtlMsDefault, marginMs = leaseMarginMsDefault } = options;
  assert(marginMs >= marginMsMin && ttlMs > marginMs, `a ttl of ${ttlMs} ms, margin ${marginMs}`);
  const key = leaseKey(name);
  const session = createId(random);
  let held: Held | undefined;
  /** A renewal whose end is not known yet. It may still land, so the next one is the same. */
  let open: OpenWrite | undefined;

  const isHeld = () => held !== undefined && clock.monotonicMs() < held.untilMs;
  const recordOf = (epoch: number, more: Partial<LeaseRecord> = {}): LeaseRecord => ({
    format: formats.lease.newest,
    epoch,
    state: "held",
    owner,
    session,
    nonce: createId(random),
    ttlMs,
    sinceMs: clock.nowMs(),
    ...more,
  });

  const begin = (record: LeaseRecord, base: string | undefined): OpenWrite => ({
    record,
    base,
    sentMs: clock.monotonicMs(),
  });

  /** Brings a record in place, and finds out how that ended: its ETag, or "lost". */
  const write = async ({ record, base, sentMs }: OpenWrite): Promise<string | Lost> => {
    const body = encodeLease(record);
    let lastError: unknown;
    for (let attempt = 0; attempt < triesMax; attempt++) {
      if (attempt > 0) await sleep(clock, random.next() * waitMsMax(attempt));
      if (clock.monotonicMs() >= deadlineMs(sentMs, { ttlMs, marginMs })) break;
      let answer: WriteAnswer;
      try {
        const outcome =
          base === undefined
            ? await bucket.putIfAbsent(key, body)
            : await bucket.putIfMatch(key, body, base);
        if ("etag" in outcome) return outcome.etag;
        answer = "refused";
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        lastError = error;
        answer = "unknown";
      }
      const found = await readOrUndefined();
      const verdict = judgeWrite(answer, found && readBackOf(found, { nonce: record.nonce, base }));
      if (verdict === "lost") return lost;
      if (verdict === "held" && found?.status === "found") return found.etag;
    }
    throw unresolved(key, lastError);
  };

  const readOrUndefined = async (): Promise<Got | undefined> => {
    try {
      return await bucket.get(key);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return undefined;
    }
  };

  const readBackOf = (
    got: Got,
    { nonce, base }: { readonly nonce: string; readonly base: string | undefined },
  ): ReadBack => {
    if (got.status !== "found") return base === undefined ? "base" : "other";
    if (got.etag === base) return "base";
    return decodeLease(got.body, key).nonce === nonce ? "mine" : "other";
  };

  const hold = async (wanted: OpenWrite): Promise<Held | undefined> => {
    open = wanted;
    const etag = await write(wanted);
    open = undefined;
    if (etag === lost) return (held = undefined);
    const { record, sentMs } = wanted;
    return (held = { record, etag, untilMs: deadlineMs(sentMs, { ttlMs, marginMs }) });
  };

  return {
    async acquire() {
      assert(!isHeld(), `the lease ${name} is already held by this session`);
      held = open = undefined;
      const got = await bucket.get(key);
      const record = got.status === "found" ? decodeLease(got.body, key) : undefined;
      if (record && got.status === "found") {
        // What this session left behind needs no waiting: it knows that it holds nothing.
        const ageMs = got.seenAtMs - got.modifiedAtMs;
        const freeInMs = freeAtAgeMs(record, marginMs) - ageMs;
        const isFree = record.state === "released" || freeInMs < 0 || record.session === session;
        if (!isFree) return { status: "taken", by: record, freeInMs };
      }
      const base = got.status === "found" ? got.etag : undefined;
      const won = await hold(begin(recordOf((record?.epoch ?? 0) + 1), base));
      return won && isHeld() ? { status: "held", epoch: won.record.epoch } : { status: "lost" };
    },

    async renew() {
      if (!held || !isHeld()) {
        held = undefined;
        return "lost";
      }
      const { epoch, sinceMs } = held.record;
      const renewed = await hold(open ?? begin(recordOf(epoch, { sinceMs }), held.etag));
      return renewed && isHeld() ? "held" : "lost";
    },

    async release() {
      if (!held) return;
      const { epoch, sinceMs } = held.record;
      const released = () => recordOf(epoch, { state: "released", sinceMs });
      const { etag } = held;
      held = open = undefined; // first: nobody may act on what is being given back
      if ((await write(begin(released(), etag))) !== lost) return;
      // An own renewal may have landed late; what is another's stays.
      const got = await bucket.get(key);
      if (got.status !== "found") return;
      const found = decodeLease(got.body, key);
      const isMine = found.session === session && found.epoch === epoch && found.state === "held";
      if (isMine) await write(begin(released(), got.etag));
    },

    isHeld,
    epoch: () => (isHeld() ? held?.record.epoch : undefined),
    leftMs: () => Math.max(0, (held?.untilMs ?? 0) - clock.monotonicMs()),

    async show() {
      const got = await bucket.get(key);
      if (got.status !== "found") return undefined;
      const record = decodeLease(got.body, key);
      const ageMs = got.seenAtMs - got.modifiedAtMs;
      return { record, ageMs, isExpired: ageMs > freeAtAgeMs(record, marginMs) };
    },

    async forceRelease(reason) {
      const got = await bucket.get(key);
      if (got.status !== "found") return "free";
      const record = decodeLease(got.body, key);
      if (record.state === "released") return "free";
      const changed = { ...record, state: "released" as const, nonce: createId(random), reason };
      return (await write(begin(changed, got.etag))) === lost ? "lost" : "released";
    },
  };
}

interface Held {
  readonly record: LeaseRecord;
  readonly etag: string;
  readonly untilMs: number;
}

interface OpenWrite {
  readonly record: LeaseRecord;
  /** The ETag of what it replaces; undefined for nothing. */
  readonly base: string | undefined;
  /** When it was sent first: whichever sending lands, it lands after this. */
  readonly sentMs: number;
}

const lost = Symbol("lost");
type Lost = typeof lost;

const waitMsMax = (attempt: number) => Math.min(backoffMs.max, backoffMs.first * 2 ** attempt);

function unresolved(key: string, cause: unknown): AppError {
  const message = `${key} gave no clear answer in time: nothing is held; try again`;
  return new AppError("unavailable", "lease_unresolved", message, { cause });
}
