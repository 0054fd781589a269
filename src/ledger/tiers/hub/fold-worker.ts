import { dotOf, type Datagram, type Dot } from "../../datagram/datagram.ts";
import type { ScannedDatagram } from "../../datagram/scan-datagrams.ts";
import { quarantineKind } from "../../replica/quarantine.ts";
import { checkpointTarget } from "../keys.ts";
import { scanSegment } from "../segment.ts";
import { decodePart, digestOf, encodePart, foldRecords } from "../../fold/part-file.ts";
import { partOfChecksum, type PartState } from "../../fold/part-state.ts";
import { hasFolded, type Vector } from "../../fold/vector.ts";

/**
 * The two computing steps of a fold, as pure functions of bytes, so that other threads can do them.
 * The state and the decisions stay with the hub.
 */
export interface FoldWorker extends AsyncDisposable {
  /**
   * Reads one segment. The bytes belong to the worker until they come back with the answer. Throws
   * `corrupt` for a segment that cannot be used.
   */
  scan(job: ScanJob): Promise<Scanned>;
  /** Folds one part. The pieces belong to the worker from now on. */
  fold(job: FoldJob): Promise<FoldedPart>;
}

export interface ScanJob {
  readonly body: Uint8Array;
  readonly key: string;
  readonly first: number;
  readonly name: string;
  /** Datagrams with a stamp after this one are ahead of the time. */
  readonly ahead: string;
}

export interface Scanned {
  readonly body: Uint8Array;
  readonly last: number;
  /** The latest stamp that is not ahead. */
  readonly newest: string;
  /** False if the only record is that the hub itself made a checkpoint: then no new one is needed. */
  readonly isWorthIt: boolean;
  /**
   * Three numbers for each run of records of one part, such as those of a commit: the part, where
   * the run begins, where it ends.
   */
  readonly records: Int32Array;
  readonly early: readonly Datagram[];
  /** Datagrams that may drop others. */
  readonly drops: readonly Datagram[];
}

export interface FoldJob {
  readonly index: number;
  /** The part of the previous checkpoint. */
  readonly base: string | undefined;
  /** The records after it, in order of arrival. */
  readonly pieces: readonly Uint8Array[];
  readonly vector: Vector;
  readonly heldBack: ReadonlySet<Dot>;
  readonly dropped: ReadonlySet<Dot>;
}

export interface FoldedPart {
  readonly body: Uint8Array;
  readonly digest: string;
}

/** Does all of it in this thread. */
export const createInlineFoldWorker = (): FoldWorker => ({
  scan: async (job) => scanJob(job),
  fold: async (job) => foldJob(job),
  async [Symbol.asyncDispose]() {},
});

export function scanJob({ body, key, first, name, ahead }: ScanJob): Scanned {
  const early: Datagram[] = [];
  const drops: Datagram[] = [];
  const records: number[] = [];
  let [newest, isWorthIt] = ["", false];
  const onDatagram = (found: ScannedDatagram) => {
    isWorthIt ||= found.target() !== checkpointTarget;
    const stamp = found.stamp();
    if (stamp > ahead) return void early.push(found.datagram());
    if (stamp > newest) newest = stamp;
    const part = partOfChecksum(found.targetChecksum());
    const at = records.length;
    if (at > 0 && records[at - 3] === part && records[at - 1] === found.from) {
      records[at - 1] = found.to;
    } else records.push(part, found.from, found.to);
    if (found.isAbout(quarantineKind)) drops.push(found.datagram());
  };
  const last = scanSegment(body, { key, first, name }, onDatagram);
  return { body, last, newest, isWorthIt, records: new Int32Array(records), early, drops };
}

export function foldJob({ index, base, pieces, vector, heldBack, dropped }: FoldJob): FoldedPart {
  const part: PartState = base === undefined ? new Map() : decodePart(base, `part ${index}`);
  const isCounted = (datagram: Datagram) => dropped.size === 0 || !dropped.has(dotOf(datagram));
  for (const piece of pieces) foldRecords(part, piece, isCounted);
  const body = Buffer.from(encodePart(part, hasFolded(vector, heldBack)));
  return { body, digest: digestOf(body) };
}
