import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { formats, isReadable, type FormatMark } from "../../base/formats.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { isUnavailable, type Bucket } from "../../bucket/index.ts";
import { isNodeId, isSessionId } from "../datagram/check-parts.ts";
import { headKey } from "./keys.ts";

/**
 * What a node says of itself in the bucket: which session speaks for it, and how far each of its
 * sessions has come. Changed by compare-and-swap, so two disks with one id cannot both speak: the
 * one that finds a session it never had is the clone, and takes another id.
 */
export interface SessionHead extends Partial<HeadSaid> {
  readonly node: string;
  readonly label: string;
  /** The life that wrote it. */
  readonly session: string;
  readonly nonce: string;
  readonly stamp: string;
  /** A session stands here before its first segment is sent, until a checkpoint covers it. */
  readonly sessions: readonly HeadSession[];
}

/** What a node tells of itself beside its sessions. Nothing here rests on it being right. */
export interface HeadSaid {
  /** Where peers may reach it, as `host:port`. */
  readonly addresses: readonly string[];
  /** How it is: see observe's `Beat`. Opaque here. */
  readonly beat: Readonly<Record<string, unknown>>;
}

export interface HeadSession {
  readonly session: string;
  /** The number up to which its segments are in the bucket. */
  readonly number: number;
  /** There will be no more of it. */
  readonly isComplete: boolean;
}

export function decodeHead(body: Uint8Array, name: string): SessionHead {
  let found: (Partial<SessionHead> & FormatMark) | undefined;
  try {
    found = JSON.parse(Buffer.from(body).toString()) as typeof found;
  } catch {
    // said below
  }
  const { node, session, sessions } = found ?? {};
  const isGood =
    isReadable("head", found, name) &&
    isNodeId(node) &&
    headKey(node) === name &&
    isSessionId(session) &&
    Array.isArray(sessions) &&
    sessions.every((one) => isSessionId(one.session) && Number.isSafeInteger(one.number));
  if (isGood) return withSaid(found as SessionHead);
  throw new AppError("corrupt", "ledger_head", `${name} is not the head of a node of ours`);
}

const addressesMax = 16;
const addressLengthMax = 120;

/** What is said and makes no sense is left out: how far the node has come still counts. */
function withSaid({ addresses, beat, ...head }: SessionHead): SessionHead {
  const isAddress = (one: unknown) => typeof one === "string" && one.length <= addressLengthMax;
  const isBeat = typeof beat === "object" && beat !== null && !Array.isArray(beat);
  return {
    ...head,
    ...(Array.isArray(addresses) && {
      addresses: addresses.filter(isAddress).slice(0, addressesMax),
    }),
    ...(isBeat && { beat }),
  };
}

export interface HeadWriter {
  /**
   * "cloned": another disk speaks for this node; nothing was written. What the node has said of
   * itself stays where it is not said anew.
   */
  write(head: Omit<SessionHead, "nonce">): Promise<"written" | "cloned">;
}

export interface HeadWriterOptions {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a session is one of this disk's. */
  readonly isOwn: (session: string) => boolean;
  /** The last number of a session that this disk has ever had. */
  readonly lastNumber: (session: string) => number;
}

const triesMax = 8;
const backoffMs = { first: 50, max: 2_000 };

export function createHeadWriter(options: HeadWriterOptions): HeadWriter {
  const { bucket, clock, random } = options;
  /** The content that the last look or write left there. */
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
              known = { key, etag: got.etag, said: saidOf(found) };
              if (found.nonce === nonce) return "written";
              if (isAnother(found, options)) return "cloned";
              sessions = joined(content.sessions, found.sessions);
            } else known = { key, etag: undefined, said: {} };
          }
          const head = { ...known.said, ...content, sessions, nonce };
          const body = encodeHead(head);
          const answer =
            known.etag === undefined
              ? await bucket.putIfAbsent(key, body)
              : await bucket.putIfMatch(key, body, known.etag);
          if ("etag" in answer) {
            known = { key, etag: answer.etag, said: saidOf(head) };
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
  readonly said: Partial<HeadSaid>;
}

const saidOf = ({ addresses, beat }: Partial<HeadSaid>): Partial<HeadSaid> => ({
  ...(addresses && { addresses }),
  ...(beat && { beat }),
});

const encodeHead = (head: SessionHead) =>
  Buffer.from(`${JSON.stringify({ format: formats.head.newest, ...head })}\n`);

/** A session that this disk never had, or one that came further than this disk ever did. */
const isAnother = ({ session, sessions }: SessionHead, { isOwn, lastNumber }: HeadWriterOptions) =>
  !isOwn(session) || sessions.some((one) => one.number > lastNumber(one.session));

/** A crash may have left the node's file behind what the head says: nothing may be taken back. */
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
