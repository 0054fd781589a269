import { AppError, assert } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { formats, markOf } from "../../base/text/formats.ts";
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
  /** The name of the role: `lease/<name>.json`. */
  readonly name: string;
  /** The name of this node, for people. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly ttlMs?: number;
  readonly marginMs?: number;
}

export const leaseTtlMsDefault = 60_000;
/** Two seconds cover times in whole seconds; the rest covers clocks that differ. */
export const leaseMarginMsDefault = 5_000;
const marginMsMin = 2_000;
const triesMax = 8;
const backoffMs = { first: 50, max: 2_000 };

export type LeaseAttempt =
  | { readonly status: "held"; readonly epoch: number }
  /** `freeInMs`: the earliest time until it can be free, if its owner does nothing. */
  | { readonly status: "taken"; readonly by: LeaseRecord; readonly freeInMs: number }
  /** Another session was faster. */
  | { readonly status: "lost" };

/**
 * A role that one session in the fleet holds at a time. One object is one session and has one
 * caller at a time. `isHeld` is true only until the session's own deadline, whatever the store
 * says. It costs nothing: check it before every action. It does not protect an action that takes
 * long, or one that a paused process does after its pause; the epoch protects these.
 */
export interface BucketLease {
  /**
   * One attempt. Throws `unavailable` if the store gives no clear answer; then the lease is not
   * held.
   */
  acquire(): Promise<LeaseAttempt>;
  /**
   * Moves the deadline. "lost": the lease is over, stop at once. Throws like `acquire`; then the
   * old deadline still applies.
   */
  renew(): Promise<"held" | "lost">;
  /**
   * Releases the lease, so that others need not wait for its end. Afterwards it is not held, even
   * if this throws.
   */
  release(): Promise<void>;
  isHeld(): boolean;
  /** Undefined while not held. */
  epoch(): number | undefined;
  /** Milliseconds until the deadline; 0 when not held. */
  leftMs(): number;
  /** The state in the store; undefined if nobody has ever taken the lease. */
  show(): Promise<LeaseView | undefined>;
  /** Takes the lease from its owner, for people who know that the owner is gone. */
  forceRelease(reason: string): Promise<"released" | "free" | "lost">;
}

export interface LeaseView {
  readonly record: LeaseRecord;
  /** The time since its last write, by the store's clock. */
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
  /**
   * A renewal whose outcome is unknown. It may still arrive, so the next renewal sends the same
   * write.
   */
  let open: OpenWrite | undefined;

  const isHeld = () => held !== undefined && clock.monotonicMs() < held.untilMs;
  const recordOf = (epoch: number, more: Partial<LeaseRecord> = {}): LeaseRecord => ({
    ...markOf(formats.lease.newest),
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

  /** Writes a record and finds out the outcome: its ETag, or "lost". */
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

  const hold = async (intended: OpenWrite): Promise<Held | undefined> => {
    open = intended;
    const etag = await write(intended);
    open = undefined;
    if (etag === lost) return (held = undefined);
    const { record, sentMs } = intended;
    return (held = { record, etag, untilMs: deadlineMs(sentMs, { ttlMs, marginMs }) });
  };

  return {
    async acquire() {
      assert(!isHeld(), `the lease ${name} is already held by this session`);
      held = open = undefined;
      const got = await bucket.get(key);
      const record = got.status === "found" ? decodeLease(got.body, key) : undefined;
      if (record && got.status === "found") {
        // A lease that this same session left needs no waiting: the session knows that it is not
        // held.
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
      held = open = undefined; // first, so that nothing acts on a lease that is being released
      if ((await write(begin(released(), etag))) !== lost) return;
      // A late renewal of this session may have arrived. A record of another session is not changed.
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
  /** The ETag of the content that it replaces; undefined if there is none. */
  readonly base: string | undefined;
  /** When it was first sent. Whichever attempt arrives, it arrives after this. */
  readonly sentMs: number;
}

const lost = Symbol("lost");
type Lost = typeof lost;

const waitMsMax = (attempt: number) => Math.min(backoffMs.max, backoffMs.first * 2 ** attempt);

function unresolved(key: string, cause: unknown): AppError {
  const message = `${key} gave no clear answer in time: nothing is held; try again`;
  return new AppError("unavailable", "lease_unresolved", message, { cause });
}
