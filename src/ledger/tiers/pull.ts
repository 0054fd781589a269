import { AppError } from "../../base/app-error.ts";
import { listLimitMax, type Bucket, type ListedObject } from "../../bucket/index.ts";
import type { Core } from "../core.ts";
import { lastKnown, sessionKey } from "../fold/vector.ts";
import { publishedAndLost } from "../replica/missing-history.ts";
import { decodeHead, type SessionHead } from "./head.ts";
import { headsPrefix, parseSegmentKey, segmentKey, segmentsPrefix } from "./keys.ts";
import { listAll } from "./list-all.ts";
import { readSegment, type Segment } from "./segment.ts";

export interface Pulled {
  readonly datagrams: number;
  readonly nodes: number;
  /** Unusable heads and segments, with reasons: they are reported and skipped. */
  readonly faults: readonly string[];
  /** Segments that are needed and missing: the newest checkpoint may hold their content. */
  readonly gaps: readonly Gap[];
}

/** A missing segment; later segments of its session cannot be read. */
export interface Gap {
  readonly segment: string;
  readonly author: Author;
}

type Author = Pick<SessionHead, "node" | "label">;

export interface Puller {
  pull(): Promise<Pulled>;
  /**
   * Fetches what is missing here of this node's own sessions. A segment that was published and is
   * missing is a gap; a segment that was never published is tried and does not count as a gap.
   */
  pullOwn(): Promise<Pulled>;
}

/**
 * Fetches what other nodes have published, according to their heads, and on request what this node
 * has published and no longer has. Sessions are independent: one that cannot be read further does
 * not stop the others.
 */
export function createPuller(core: Core, bucket: Bucket): Puller {
  const etags = new Map<string, string>();

  const segmentBehind = async (author: Author, key: string, known: number): Promise<Segment> => {
    const read = async (first: number) => {
      const name = segmentKey(key, first);
      const got = await bucket.get(name);
      return got.status === "found" ? readSegment(got.body, { key, first, name }) : undefined;
    };
    const next = await read(known + 1);
    if (next) return next;
    // Ranges from other nodes end anywhere: the rest may be inside an earlier segment.
    const first = await firstBefore(bucket, key, known);
    const begun = first === undefined ? undefined : await read(first);
    if (begun && begun.lastNumber > known) return begun;
    throw new MissingSegment({ segment: segmentKey(key, known + 1), author });
  };

  const pullSession = async (author: Author, key: string, number: number) => {
    let count = 0;
    for (;;) {
      const known = lastKnown(core.replica().vector(), key);
      if (known >= number) return count;
      const { datagrams } = await segmentBehind(author, key, known);
      count += (await core.receive(datagrams.filter((one) => one.number > known))).length;
    }
  };

  const createRound = () => {
    const faults: string[] = [];
    const gaps: Gap[] = [];
    let [datagrams, nodes] = [0, 0];
    /** Undefined: it is unusable, which is recorded as a fault. */
    const attempt = async <T>(work: () => Promise<T>, author?: Author) => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof MissingSegment) gaps.push(error.gap);
        else if (error instanceof AppError && error.kind !== "unavailable") {
          const isDamage = author !== undefined && error.code === "ledger_segment";
          faults.push(isDamage ? damagedSegment(error.message, author) : error.message);
        } else throw error;
        return undefined;
      }
    };
    const pullSessions = async (author: Author, sessions: ReadonlyMap<string, number>) => {
      let [count, isWhole] = [0, true];
      for (const [key, number] of sessions) {
        const more = await attempt(() => pullSession(author, key, number), author);
        count += more ?? 0;
        isWhole &&= more !== undefined;
      }
      datagrams += count;
      nodes += count > 0 ? 1 : 0;
      return isWhole;
    };
    return {
      attempt,
      pullSessions,
      result: (): Pulled => ({ datagrams, nodes, faults, gaps }),
    };
  };

  return {
    async pull() {
      const { attempt, pullSessions, result } = createRound();
      core.replica().release(core.time.nowMs());
      const own = core.identity();
      for (const { key, etag } of await listHeads(bucket)) {
        if (etags.get(key) === etag) continue;
        const got = await bucket.get(key);
        if (got.status !== "found") continue;
        const head = await attempt(async () => decodeHead(got.body, key));
        if (!head || head.node === own.node) continue;
        const sessions = head.sessions.map(
          ({ session, number }) => [`${head.node}/${session}`, number] as const,
        );
        if (await pullSessions(head, new Map(sessions))) etags.set(key, got.etag);
      }
      return result();
    },
    async pullOwn() {
      const { pullSessions, result } = createRound();
      const own = core.identity();
      await pullSessions(own, publishedAndLost(core));
      const unpublished = createRound();
      await unpublished.pullSessions(own, holesOf(core));
      const [needed, more] = [result(), unpublished.result()];
      return { ...needed, datagrams: needed.datagrams + more.datagrams };
    },
  };
}

/**
 * Sessions with own datagrams here whose predecessors are missing: the number up to which they are.
 */
function holesOf(core: Core): ReadonlyMap<string, number> {
  const holes = new Map<string, number>();
  for (const datagram of core.strandedOwn()) {
    const key = sessionKey(datagram);
    holes.set(key, Math.min(holes.get(key) ?? Infinity, datagram.number - 1));
  }
  return holes;
}

/** A message for people: what is missing, and who has to do what. */
export const missingSegment = (segment: string, { node, label }: Author): string =>
  `${segment} is missing, and no checkpoint holds it: what follows in that session cannot be ` +
  `read. Its author ${label} (${node}) puts it back once a day, or now with \`forager ledger sync\``;

const damagedSegment = (message: string, { node, label }: Author): string =>
  `${message}. Its author ${label} (${node}) replaces it with \`forager ledger verify --repair\``;

/** The first number of the last segment that begins at `known` or before. */
async function firstBefore(bucket: Bucket, key: string, known: number) {
  let [startAfter, last] = ["", undefined as number | undefined];
  for (;;) {
    const page = await bucket.list(`${segmentsPrefix}${key}/`, { startAfter });
    for (const one of page) {
      const first = parseSegmentKey(one.key)?.first ?? Infinity;
      if (first > known) return last;
      last = first;
    }
    if (page.length < listLimitMax) return last;
    startAfter = page.at(-1)!.key;
  }
}

/** Not shown to people: the checkpoint is tried next. */
class MissingSegment extends Error {
  readonly gap: Gap;

  constructor(gap: Gap) {
    super(gap.segment);
    this.gap = gap;
  }
}

export async function listHeads(bucket: Bucket): Promise<readonly ListedObject[]> {
  const all: ListedObject[] = [];
  for await (const one of listAll(bucket, headsPrefix)) all.push(one);
  return all;
}
