import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { formats, isReadable, markOf, type FormatMark } from "../../base/text/formats.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { isUnavailable, type Bucket } from "../../bucket/index.ts";
import { isNodeId, isSessionId } from "../datagram/check-parts.ts";
import { headKey } from "./keys.ts";

/**
 * What a node writes about itself in the bucket: its current session, and how far each of its
 * sessions has come. Changed by compare-and-swap, so two disks with one id cannot both write: the
 * disk that finds a session it never had is the clone, and takes another id.
 */
export interface SessionHead extends Partial<HeadInfo> {
  readonly node: string;
  readonly label: string;
  /** The session of the process that wrote it. */
  readonly session: string;
  readonly nonce: string;
  readonly stamp: string;
  /** A session is listed before its first segment is sent, until a checkpoint covers it. */
  readonly sessions: readonly HeadSession[];
}

/** What a node reports beside its sessions. Nothing depends on it being right. */
export interface HeadInfo {
  /** Where peers may reach it, as `host:port`. */
  readonly addresses: readonly string[];
  /** The heartbeat of the node, which this module does not read: see fleet's `NodeHeartbeat`. */
  readonly beat: Readonly<Record<string, unknown>>;
}

export interface HeadSession {
  readonly session: string;
  /** The number up to which its segments are in the bucket. */
  readonly number: number;
  /** No more of it will come. */
  readonly isComplete: boolean;
}

export function decodeHead(body: Uint8Array, name: string): SessionHead {
  let found: (Partial<SessionHead> & FormatMark) | undefined;
  try {
    found = JSON.parse(Buffer.from(body).toString()) as typeof found;
  } catch {
    // reported below
  }
  const { node, session, sessions } = found ?? {};
  const isGood =
    isReadable("head", found, name) &&
    isNodeId(node) &&
    headKey(node) === name &&
    isSessionId(session) &&
    Array.isArray(sessions) &&
    sessions.every((one) => isSessionId(one.session) && Number.isSafeInteger(one.number));
  if (isGood) return withValidInfo(found as SessionHead);
  throw new AppError("corrupt", "ledger_head", `${name} is not the head of a node`);
}

const addressesMax = 16;
const addressLengthMax = 120;

/** Drops addresses and state that are malformed: how far the node has come still counts. */
function withValidInfo({ addresses, beat, ...head }: SessionHead): SessionHead {
  const isAddress = (one: unknown) => typeof one === "string" && one.length <= addressLengthMax;
  const isValid = typeof beat === "object" && beat !== null && !Array.isArray(beat);
  return {
    ...head,
    ...(Array.isArray(addresses) && {
      addresses: addresses.filter(isAddress).slice(0, addressesMax),
    }),
    ...(isValid && { beat }),
  };
}

export interface HeadWriter {
  /**
   * "cloned": another disk writes this head; nothing was written. Optional fields that are not
   * given keep their value.
   */
  write(head: Omit<SessionHead, "nonce">): Promise<"written" | "cloned">;
}

export interface HeadWriterOptions {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a session is one of this disk's. */
  readonly isOwn: (session: string) => boolean;
  /** The highest number of a session that this disk has ever had. */
  readonly lastNumber: (session: string) => number;
}

const triesMax = 8;
const backoffMs = { first: 50, max: 2_000 };

export function createHeadWriter(options: HeadWriterOptions): HeadWriter {
  const { bucket, clock, random } = options;
  /** The content after the last read or write. */
  let known: Known | undefined;

  return {
    async write(content) {
      const key = headKey(content.node);
      const nonce = createId(random);
      let sessions = content.sessions;
      let lastError: unknown;
      for (let attempt = 0; attempt < triesMax; attempt++) {
        const waitMs = Math.min(backoffMs.max, backoffMs.first * 2 ** attempt);
        if (attempt > 0) await sleep(clock, random.next() * waitMs);
        try {
          if (known?.key !== key || attempt > 0) {
            const got = await bucket.get(key);
            const found = got.status === "found" ? decodeHead(got.body, key) : undefined;
            if (got.status === "found" && found) {
              known = { key, etag: got.etag, info: infoOf(found) };
              if (found.nonce === nonce) return "written";
              if (isAnother(found, options)) return "cloned";
              sessions = joined(content.sessions, found.sessions);
            } else known = { key, etag: undefined, info: {} };
          }
          const head = { ...known.info, ...content, sessions, nonce };
          const body = encodeHead(head);
          const answer =
            known.etag === undefined
              ? await bucket.putIfAbsent(key, body)
              : await bucket.putIfMatch(key, body, known.etag);
          if ("etag" in answer) {
            known = { key, etag: answer.etag, info: infoOf(head) };
            return "written";
          }
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          lastError = error;
        }
      }
      known = undefined;
      const message = `${key} gave no clear answer: how far this node has come is not known there`;
      throw new AppError("unavailable", "ledger_head_unresolved", message, { cause: lastError });
    },
  };
}

interface Known {
  readonly key: string;
  readonly etag: string | undefined;
  readonly info: Partial<HeadInfo>;
}

const infoOf = ({ addresses, beat }: Partial<HeadInfo>): Partial<HeadInfo> => ({
  ...(addresses && { addresses }),
  ...(beat && { beat }),
});

const encodeHead = (head: SessionHead) =>
  Buffer.from(`${JSON.stringify({ ...markOf(formats.head.newest), ...head })}\n`);

/**
 * True if the head names a session that this disk never had, or one further than this disk ever
 * came.
 */
const isAnother = ({ session, sessions }: SessionHead, { isOwn, lastNumber }: HeadWriterOptions) =>
  !isOwn(session) || sessions.some((one) => one.number > lastNumber(one.session));

/**
 * After a crash the node's file may be behind the head. Numbers in the head must never decrease.
 */
function joined(
  own: readonly HeadSession[],
  found: readonly HeadSession[],
): readonly HeadSession[] {
  const numbers = new Map(found.map(({ session, number }) => [session, number]));
  return own.map((one) => ({
    ...one,
    number: Math.max(one.number, numbers.get(one.session) ?? 0),
  }));
}
