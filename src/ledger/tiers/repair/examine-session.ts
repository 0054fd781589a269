import { AppError } from "../../../base/app-error.ts";
import type { Bucket } from "../../../bucket/index.ts";
import type { Core } from "../../core.ts";
import type { Datagram } from "../../datagram/datagram.ts";
import { lastKnown, type SessionKey } from "../../fold/vector.ts";
import { segmentKey } from "../keys.ts";
import type { ListedSegment } from "../list-all.ts";
import {
  cutSegment,
  isSameContent,
  readForSegment,
  readSegment,
  type Segment,
} from "../segment.ts";

/** A segment that should be in the bucket and is missing, damaged or foreign. */
export interface SegmentFault {
  readonly key: SessionKey;
  readonly first: number;
  /**
   * The last datagram that is unreadable because of it: the one before the next segment that is
   * there.
   */
  readonly last: number;
  /**
   * "damaged": its bytes are not a segment. "foreign": it is a valid segment, and holds other
   * datagrams than this node's journal under the same numbers.
   */
  readonly state: "missing" | "damaged" | "foreign";
  /** This disk holds its datagrams, so this node can put it back. */
  readonly isHere: boolean;
  /** The etag of the object that is there. */
  readonly etag?: string;
  readonly why?: string;
}

/** Datagrams of a session that should be in segments: after `after`, up to `upTo`. */
export interface SessionRange {
  readonly key: SessionKey;
  readonly after: number;
  readonly upTo: number;
}

/** How many more requests a check may make. */
export interface Budget {
  left: number;
}

export interface ExamineSessionOptions extends SessionRange {
  readonly bucket: Bucket;
  /** All segments of the session in the bucket, in order. */
  readonly listed: readonly ListedSegment[];
  /** The ledger that wrote the session; undefined: it is another node's. */
  readonly author: Core | undefined;
  /** Read every segment, also those whose size matches this node's log. */
  readonly isThorough: boolean;
  readonly budget: Budget;
}

export interface Examined {
  readonly faults: readonly SegmentFault[];
  /** How many segments are present and valid. */
  readonly sound: number;
  /** False: the budget was used up before the end. */
  readonly isComplete: boolean;
}

/**
 * Finds the segments of a session that are missing or damaged. Segments are consecutive without
 * gaps: each must begin where the one before ended. For own sessions the log says where a segment
 * ends; for others the segment is read.
 */
export async function examineSession(options: ExamineSessionOptions): Promise<Examined> {
  const { bucket, key, after, upTo, author, isThorough, budget } = options;
  const listed = author ? await atCommits(author, options) : options.listed;
  const faults: SegmentFault[] = [];
  let sound = 0;
  let at = 0;
  for (let first = after + 1; first <= upTo;) {
    while (at < listed.length && listed[at]!.first < first) at += 1;
    const there = listed[at]?.first === first ? listed[at] : undefined;
    const following = listed[there ? at + 1 : at]?.first ?? Infinity;
    const planned = await author?.segments.endOf(key, first);
    if (there && !isThorough && planned?.bytes === there.bytes) {
      sound += 1;
      first = planned.last + 1;
      continue;
    }
    const limit = Math.min(following - 1, upTo);
    const own = author ? await firstOwn(author, { key, first, last: limit }, planned?.last) : [];
    const isHere = own.length > 0;
    const last = isHere ? cutSegment(own, planned?.last).lastNumber : limit;
    if (!there) {
      faults.push({ key, first, last, state: "missing", isHere });
      first = last + 1;
      continue;
    }
    if (budget.left <= 0) return { faults, sound, isComplete: false };
    budget.left -= 1;
    const found = await readOne(bucket, key, first);
    if ("state" in found) {
      faults.push({ key, first, last, isHere, ...found });
      first = last + 1;
      continue;
    }
    const { datagrams, lastNumber } = found.segment;
    const journal = author ? await ownDatagrams(author, { key, first, last: lastNumber }) : [];
    if (journal.length > 0 && !isSameContent(datagrams, journal)) {
      faults.push({ key, first, last: lastNumber, state: "foreign", isHere: false });
    } else {
      sound += 1;
      if (author && author.options.isReader !== true) {
        await author.segments.record(key, first, { last: lastNumber, bytes: found.bytes });
      }
    }
    first = lastNumber + 1;
  }
  return { faults, sound, isComplete: true };
}

/**
 * Ignores objects named by a number at which no commit of their author begins: they are not
 * segments.
 */
async function atCommits(
  author: Core,
  { key, listed }: ExamineSessionOptions,
): Promise<readonly ListedSegment[]> {
  const kept: ListedSegment[] = [];
  for (const one of listed) {
    const number = one.first - 1;
    const [before] = await ownDatagrams(author, { key, first: number, last: number });
    if (before === undefined || before.number === before.commit) kept.push(one);
  }
  return kept;
}

/**
 * The datagrams of an own session in that range that this disk holds; none if the first ones are
 * missing.
 */
export async function ownDatagrams(
  core: Core,
  { key, first, last }: OwnRange,
): Promise<readonly Datagram[]> {
  const to = Math.min(last, lastKnown(core.replica().vector(), key));
  return first > lastKnown(core.replica().base.vector, key) && first <= to
    ? core.journal().readAll({ key, from: first, to })
    : [];
}

/** As many of them as a segment that begins there holds. */
export async function firstOwn(
  core: Core,
  { key, first, last }: OwnRange,
  plannedLast?: number,
): Promise<readonly Datagram[]> {
  const to = Math.min(last, lastKnown(core.replica().vector(), key));
  if (first <= lastKnown(core.replica().base.vector, key) || first > to) return [];
  return readForSegment(core.journal().read({ key, from: first, to }), plannedLast);
}

interface OwnRange {
  readonly key: SessionKey;
  readonly first: number;
  readonly last: number;
}

type ReadSegment =
  | { readonly segment: Segment; readonly bytes: number }
  | Pick<SegmentFault, "state" | "etag" | "why">;

async function readOne(bucket: Bucket, key: SessionKey, first: number): Promise<ReadSegment> {
  const name = segmentKey(key, first);
  const got = await bucket.get(name);
  // It was deleted after it was listed.
  if (got.status !== "found") return { state: "missing" };
  try {
    return { segment: readSegment(got.body, { key, first, name }), bytes: got.body.byteLength };
  } catch (error) {
    // A segment of a newer version is not damaged.
    if (!(error instanceof AppError) || error.kind !== "corrupt") throw error;
    return { state: "damaged", etag: got.etag, why: error.message };
  }
}
