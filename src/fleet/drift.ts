import { parseStamp, type LogOutline } from "../ledger/index.ts";
import type { NodeSeen } from "./roster.ts";

type Vector = ReadonlyMap<string, number>;

/** How far two nodes differ. Exact, because numbers have no gaps. */
export interface Drift {
  /** Datagrams that the other node has according to its messages, and this node lacks. */
  readonly missingHere: number;
  /**
   * Datagrams that this node has and the other lacks; undefined: the other does not report what it
   * has.
   */
  readonly missingThere: number | undefined;
  /** How long the oldest of them has been missing; 0 if none is. */
  readonly seconds: number;
}

export interface DriftInput {
  readonly nowMs: number;
  readonly vector: Vector;
  /** Datagrams after the checkpoint. */
  readonly log: readonly LogOutline[];
  /** By checkpoint number, as far as the checkpoints are readable. */
  readonly checkpoints: ReadonlyMap<number, Vector>;
}

/** Returns undefined if nothing is known of what the node has. */
export function driftOf(seen: NodeSeen, input: DriftInput): Drift | undefined {
  const { vector, nowMs } = input;
  const whole = wholeVector(seen, input.checkpoints);
  if (!whole && !seen.head) return undefined;
  const theirs = joinedVector(whole ?? new Map(), publishedBy(seen));
  const missingHere = countBeyond(theirs, vector);
  const missingThere = whole && countBeyond(vector, theirs);
  const hereMs = missingHere > 0 ? sinceLastOf(seen, input) : 0;
  const thereMs = missingThere ? nowMs - oldestBeyond(theirs, input) : 0;
  return {
    missingHere,
    missingThere,
    seconds: Math.max(0, Math.round(Math.max(hereMs, thereMs) / 1_000)),
  };
}

/** Changes that one node has and another lacks. */
export interface Lack {
  /** The node that has it. */
  readonly of: string;
  readonly datagrams: number;
}

/** For each node, the changes of each other node that it lacks. Nodes that do not report what they have are left out. */
export function lacksOf(
  roster: readonly NodeSeen[],
  { vector, checkpoints }: Pick<DriftInput, "vector" | "checkpoints">,
): ReadonlyMap<string, readonly Lack[]> {
  const vectors = new Map<string, Vector>();
  for (const seen of roster) {
    const whole = seen.isSelf ? vector : wholeVector(seen, checkpoints);
    if (whole) vectors.set(seen.node, joinedVector(whole, publishedBy(seen)));
  }
  return new Map(
    [...vectors].map(([node, own]) => {
      const lacks = [...vectors].map(([of, theirs]) => ({
        of,
        datagrams: countBeyond(theirs, own),
      }));
      return [node, lacks.filter(({ datagrams }) => datagrams > 0)];
    }),
  );
}

function wholeVector(seen: NodeSeen, checkpoints: DriftInput["checkpoints"]): Vector | undefined {
  return seen.peer ? new Map(Object.entries(seen.peer.vector)) : knownVector(seen, checkpoints);
}

const publishedBy = ({ node, head }: NodeSeen): Vector =>
  new Map((head?.sessions ?? []).map(({ session, number }) => [`${node}/${session}`, number]));

/** What the node knows according to its heartbeat: a checkpoint, and datagrams beyond it. */
function knownVector({ heartbeat }: NodeSeen, checkpoints: DriftInput["checkpoints"]) {
  if (!heartbeat?.knows) return undefined;
  const { checkpoint, beyond } = heartbeat.knows;
  const base = checkpoint === 0 ? new Map<string, number>() : checkpoints.get(checkpoint);
  return base && joinedVector(base, new Map(Object.entries(beyond)));
}

function joinedVector(a: Vector, b: Vector): Vector {
  const both = new Map(a);
  for (const [key, number] of b) both.set(key, Math.max(number, both.get(key) ?? 0));
  return both;
}

function countBeyond(a: Vector, b: Vector): number {
  let count = 0;
  for (const [key, number] of a) count += Math.max(0, number - (b.get(key) ?? 0));
  return count;
}

/** The stamp of the first of our datagrams that the other node lacks. */
function oldestBeyond(theirs: Vector, { log, nowMs }: DriftInput): number {
  let oldestMs = nowMs;
  for (const { node, session, number, stamp } of log) {
    if (number <= (theirs.get(`${node}/${session}`) ?? 0)) continue;
    oldestMs = Math.min(oldestMs, parseStamp(stamp).ms);
  }
  return oldestMs;
}

/**
 * Datagrams that are missing here cannot be read. They are newer than the last one of that node
 * here, and at most as old as that node's last message.
 */
function sinceLastOf({ node, head, lastSeenMs }: NodeSeen, { log, nowMs }: DriftInput): number {
  const reportedMs = head && head.stamp !== "" ? parseStamp(head.stamp).ms : (lastSeenMs ?? nowMs);
  let lastMs = 0;
  for (const one of log) {
    if (one.node === node) lastMs = Math.max(lastMs, parseStamp(one.stamp).ms);
  }
  return lastMs === 0 ? nowMs - reportedMs : Math.max(nowMs - reportedMs, reportedMs - lastMs);
}
