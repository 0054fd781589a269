import type { Bucket } from "../../../bucket/index.ts";
import type { Core } from "../../core.ts";
import { lastKnown, type Vector } from "../../fold/vector.ts";
import { readBoundary } from "../boundary.ts";
import {
  examineSession,
  ownDatagrams,
  type Budget,
  type SegmentFault,
  type SessionRange,
} from "./examine-session.ts";
import type { HeadWriter } from "../head.ts";
import { headKey, segmentKey, segmentsPrefix } from "../keys.ts";
import { listSegments } from "../list-all.ts";
import { createSegment, headOf } from "../publish.ts";
import { cutSegment } from "../segment.ts";

export interface RepairOptions {
  readonly core: Core;
  readonly bucket: Bucket;
  readonly heads: HeadWriter;
  /** How many segments may be read or written; listings are not counted. */
  readonly requestsMax: number;
}

export interface Repaired {
  /** How many segments were put back. */
  readonly segments: number;
  /** What this node cannot repair. */
  readonly faults: readonly string[];
  /** False: `requestsMax` did not allow checking everything. */
  readonly isComplete: boolean;
}

/**
 * Puts back what the bucket lost of this node's own sessions, byte for byte, as far as no
 * checkpoint holds it. Requests: none if all is in the checkpoint that this node uses; else one
 * listing for every thousand of its segments, one read each of head and boundary, and one write for
 * each segment that is put back, after which the boundary is read once more.
 *
 * It does not recreate what a hub has deleted: a hub raises the boundary before it deletes, and the
 * boundary is read after the listing. If the boundary passes a segment while it is put back, the
 * segment is deleted again.
 */
export async function repairOwn(options: RepairOptions): Promise<Repaired> {
  const { core, bucket, heads, requestsMax } = options;
  const ranges = ownRanges(core, core.replica().base.vector);
  if (ranges.length === 0) return { segments: 0, faults: [], isComplete: true };
  const { node } = core.identity();
  if ((await bucket.get(headKey(node))).status === "absent") {
    await heads.write(headOf(core, new Map()));
  }
  const listed = await listSegments(bucket, `${segmentsPrefix}${node}/`);
  const boundary = (await readBoundary(bucket))?.vector ?? new Map<string, number>();
  const budget: Budget = { left: requestsMax };
  const found: SegmentFault[] = [];
  let isExamined = true;
  for (const range of ranges) {
    const { key } = range;
    const after = Math.max(range.after, lastKnown(boundary, key));
    const { faults, isComplete } = await examineSession({
      ...range,
      after,
      bucket,
      listed: listed.get(key) ?? [],
      author: core,
      isThorough: false,
      budget,
    });
    found.push(...faults);
    isExamined = isComplete;
    if (!isExamined) break;
  }
  const now = found.slice(0, budget.left);
  const mended = await mend({ core, bucket, faults: now });
  const left = now.filter((fault) => !mended.has(fault));
  return {
    segments: mended.size,
    faults: left.map(describeOwn),
    isComplete: isExamined && now.length === found.length,
  };
}

/** Ranges of own sessions that should be in segments: published, and not covered by the vector. */
export function ownRanges(core: Core, covered: Vector): readonly SessionRange[] {
  const { node, published } = core.identity();
  return Object.entries(published)
    .map(([key, upTo]) => ({ key, after: lastKnown(covered, key), upTo }))
    .filter(({ key, after, upTo }) => key.startsWith(`${node}/`) && after < upTo);
}

export interface MendOptions {
  readonly core: Core;
  readonly bucket: Bucket;
  readonly faults: readonly SegmentFault[];
}

/**
 * Creates missing segments, and replaces damaged ones if the damaged content is still there. A
 * valid segment with other content is never replaced, because two disks may have one id.
 */
export async function mend(options: MendOptions): Promise<ReadonlySet<SegmentFault>> {
  const { core, bucket, faults } = options;
  const mended = new Set<SegmentFault>();
  const created: SegmentFault[] = [];
  for (const fault of faults) {
    const { key, first, last, state, etag, isHere } = fault;
    if (!isHere || state === "foreign") continue;
    const { body, lastNumber } = cutSegment(await ownDatagrams(core, { key, first, last }), last);
    await core.segments.record(key, first, { last: lastNumber, bytes: body.byteLength });
    const name = segmentKey(key, first);
    if (etag === undefined) {
      if (await createSegment({ core, bucket, name, body })) created.push(fault);
      mended.add(fault);
    } else if ((await bucket.putIfMatch(name, body, etag)).status === "written") {
      mended.add(fault);
    }
  }
  if (created.length === 0) return mended;
  const boundary = (await readBoundary(bucket))?.vector ?? new Map<string, number>();
  for (const { key, first } of created) {
    if (first <= lastKnown(boundary, key)) await bucket.delete(segmentKey(key, first));
  }
  return mended;
}

function describeOwn({ key, first, last, state }: SegmentFault): string {
  const name = segmentKey(key, first);
  switch (state) {
    case "missing":
      return `${name} is missing, and this disk has lost datagrams ${first} to ${last} too`;
    case "damaged":
      return `${name} is damaged, and could not be replaced`;
    case "foreign":
      return (
        `${name} holds other datagrams than this node's journal: another disk uses this node's id; ` +
        `nothing was changed`
      );
  }
}
