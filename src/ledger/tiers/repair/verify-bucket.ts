import type { Bucket } from "../../../bucket/index.ts";
import type { Core } from "../../core.ts";
import { lastKnown, type SessionKey, type Vector } from "../../fold/vector.ts";
import { readBoundary } from "../boundary.ts";
import { examineSession, type SegmentFault, type SessionRange } from "./examine-session.ts";
import { readHeads } from "../gather.ts";
import type { SessionHead, HeadWriter } from "../head.ts";
import { headKey, segmentKey, segmentsPrefix } from "../keys.ts";
import { listSegments, type ListedSegment } from "../list-all.ts";
import { findNewestManifest } from "../manifest.ts";
import { headOf } from "../publish.ts";
import { mend, ownRanges } from "./repair.ts";

export interface VerifyHow {
  /** Put back this node's missing segments, and replace its damaged ones. */
  readonly isRepairing?: boolean;
  /** Called after each session that was read. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** The result for the segments that no checkpoint holds yet. */
export interface BucketVerified {
  readonly nodes: number;
  /** How many segments are present and valid. */
  readonly segments: number;
  readonly faults: readonly BucketFault[];
}

export interface BucketFault {
  /** The key of the object: a segment, or the head of a node. */
  readonly object: string;
  readonly state: SegmentFault["state"];
  /** The node that wrote it, and the name of its machine, if known. */
  readonly node: string;
  readonly label: string;
  /** The datagrams that are unreadable because of it; absent for a head. */
  readonly first?: number;
  readonly last?: number;
  /** This node wrote it. */
  readonly isOwn: boolean;
  /** This node has the datagrams that belong there. */
  readonly isRepairable: boolean;
  readonly isRepaired: boolean;
  readonly why?: string;
}

export interface VerifyOptions extends VerifyHow {
  readonly core: Core;
  readonly bucket: Bucket;
  readonly heads: HeadWriter;
}

/**
 * Reads every segment that nodes have published and that the newest checkpoint does not hold, and
 * reports missing and damaged ones. Requests: one for each head and each of these segments, one
 * listing for every thousand objects, and a few for boundary and checkpoint.
 */
export async function verifyBucket(options: VerifyOptions): Promise<BucketVerified> {
  const { core, bucket, isRepairing = false, onProgress = () => {} } = options;
  const covered = await readCovered(bucket);
  const badHeads = new Map<string, string>();
  const heads = await readHeads(bucket, (why, key) => badHeads.set(key, why));
  const listed = await listSegments(bucket, segmentsPrefix);
  const own = new Set(ownRanges(core, covered).map(({ key }) => key));
  const ranges = rangesOf(core, heads, covered);
  const found: SegmentFault[] = [];
  let segments = 0;
  for (const [at, range] of ranges.entries()) {
    const { faults, sound } = await examineSession({
      ...range,
      bucket,
      listed: listed.get(range.key) ?? [],
      author: own.has(range.key) ? core : undefined,
      isThorough: true,
      budget: { left: Infinity },
    });
    found.push(...faults);
    segments += sound;
    onProgress({ done: at + 1, total: ranges.length });
  }
  // A hub may have folded and deleted some of them meanwhile. It raises the boundary before it
  // deletes.
  const later = found.length > 0 ? await readCovered(bucket) : covered;
  const faults = found.filter(({ key, first }) => first > lastKnown(later, key));
  const mended = isRepairing ? await mend({ core, bucket, faults }) : new Set<SegmentFault>();
  const labels = new Map(heads.map(({ node, label }) => [node, label]));
  const withoutHead = nodesBeyond(listed, later).filter((node) => !labels.has(node));
  return {
    nodes: heads.length,
    segments,
    faults: [
      ...(await headFaults(options, withoutHead, badHeads)),
      ...faults.map((fault) => {
        const { key, first, last, state, isHere, why } = fault;
        const node = nodeOf(key);
        return {
          object: segmentKey(key, first),
          state,
          node,
          label: labels.get(node) ?? "",
          first,
          last,
          isOwn: own.has(key),
          isRepairable: isHere && state !== "foreign",
          isRepaired: mended.has(fault),
          ...(why !== undefined && { why }),
        };
      }),
    ],
  };
}

/**
 * Datagrams that need no segment: they are in the newest checkpoint, or were deleted after that.
 */
async function readCovered(bucket: Bucket): Promise<Vector> {
  const newest = (await findNewestManifest(bucket))?.manifest.vector ?? [];
  const covered = new Map(newest);
  for (const [key, number] of (await readBoundary(bucket))?.vector ?? []) {
    covered.set(key, Math.max(number, lastKnown(covered, key)));
  }
  return covered;
}

/** According to the heads, and for this node's own sessions according to its own file. */
function rangesOf(
  core: Core,
  heads: readonly SessionHead[],
  covered: Vector,
): readonly SessionRange[] {
  const upTo = new Map<SessionKey, number>();
  for (const { node, sessions } of heads) {
    for (const { session, number } of sessions) upTo.set(`${node}/${session}`, number);
  }
  for (const range of ownRanges(core, covered)) upTo.set(range.key, range.upTo);
  return [...upTo]
    .map(([key, number]) => ({ key, after: lastKnown(covered, key), upTo: number }))
    .filter((range) => range.after < range.upTo)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Nodes with segments that no checkpoint holds. */
function nodesBeyond(
  listed: ReadonlyMap<SessionKey, readonly ListedSegment[]>,
  covered: Vector,
): readonly string[] {
  const beyond = [...listed].filter(
    ([key, all]) => (all.at(-1)?.first ?? 0) > lastKnown(covered, key),
  );
  return [...new Set(beyond.map(([key]) => nodeOf(key)))];
}

/** Without its head a node's segments are not found. A node writes its own head again. */
async function headFaults(
  { core, heads, isRepairing = false }: VerifyOptions,
  nodes: readonly string[],
  badHeads: ReadonlyMap<string, string>,
): Promise<readonly BucketFault[]> {
  const faults: BucketFault[] = [];
  for (const node of nodes) {
    const object = headKey(node);
    const why = badHeads.get(object);
    const isOwn = node === core.identity().node;
    const isRepairable = isOwn && why === undefined;
    const isRepaired =
      isRepairable && isRepairing && (await heads.write(headOf(core, new Map()))) === "written";
    const state = why === undefined ? "missing" : "damaged";
    faults.push({
      object,
      state,
      node,
      label: "",
      isOwn,
      isRepairable,
      isRepaired,
      ...(why !== undefined && { why }),
    });
  }
  return faults;
}

const nodeOf = (key: SessionKey): string => key.slice(0, key.indexOf("/"));
