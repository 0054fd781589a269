import { AppError } from "../../base/app-error.ts";
import { encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { scanDatagrams, type ScannedDatagram } from "../datagram/scan-datagrams.ts";
import { checkHeader, headerRecord } from "../file-header.ts";
import { isScrubbed } from "../fold/part-state.ts";

/** A piece of a session's log in the bucket: whole commits, consecutive numbers, never changed. */
export interface Segment {
  readonly datagrams: readonly Datagram[];
  readonly lastNumber: number;
}

/** From this size on a new segment begins; a commit is never split. */
const bytesMax = 2 ** 20;

/**
 * The first segment of these datagrams, which are whole commits of one session in order. It ends
 * with `plannedLast` if a commit ends there, else as soon as it is large enough.
 */
export function cutSegment(
  datagrams: readonly Datagram[],
  plannedLast?: number,
): {
  readonly body: Uint8Array;
  readonly lastNumber: number;
} {
  const planned = datagrams.find(({ number }) => number === plannedLast);
  const isPlanned = planned !== undefined && planned.number === planned.commit;
  const lines = [headerRecord("segment")];
  let bytes = 0;
  let lastNumber = 0;
  for (const datagram of datagrams) {
    const line = encodeDatagram(datagram);
    lines.push(line);
    bytes += line.length;
    lastNumber = datagram.number;
    const isFull = bytes >= bytesMax && datagram.number === datagram.commit;
    if (isPlanned ? datagram === planned : isFull) break;
  }
  return { body: Buffer.from(lines.join("")), lastNumber };
}

/** Reads no more than `cutSegment` needs: up to `plannedLast`, or what fills a segment. */
export async function readForSegment(
  pieces: AsyncIterable<readonly Datagram[]>,
  plannedLast = 0,
): Promise<readonly Datagram[]> {
  const found: Datagram[] = [];
  let bytes = 0;
  for await (const some of pieces) {
    for (const datagram of some) {
      found.push(datagram);
      bytes += encodeDatagram(datagram).length;
      const isEnough = datagram.number >= plannedLast && (plannedLast > 0 || bytes >= bytesMax);
      if (isEnough && datagram.number === datagram.commit) return found;
    }
  }
  return found;
}

/** Whether a segment holds the own datagrams. Either side may have been scrubbed since. */
export const isSameContent = (found: readonly Datagram[], own: readonly Datagram[]): boolean =>
  found.every((datagram, index) => {
    const mine = own[index];
    if (mine?.stamp !== datagram.stamp) return false;
    return mine.value === datagram.value || isScrubbed(mine) || isScrubbed(datagram);
  });

export interface SegmentPlace {
  /** `node/session` */
  readonly key: string;
  readonly first: number;
  readonly name: string;
}

/** Throws `corrupt` unless the body is a segment of that session and begins with that number. */
export function readSegment(body: Uint8Array, place: SegmentPlace): Segment {
  const datagrams: Datagram[] = [];
  const lastNumber = scanSegment(body, place, (found) => void datagrams.push(found.datagram()));
  return { datagrams, lastNumber };
}

/**
 * The same without a copy of each datagram. Returns the last number. If it throws, discard the
 * datagrams that were passed to the callback.
 */
export function scanSegment(
  body: Uint8Array,
  { key, first, name }: SegmentPlace,
  onDatagram: (found: ScannedDatagram) => void,
): number {
  const [node = "", session = ""] = key.split("/");
  let next = first;
  let lastCommit = 0;
  let end = 0;
  try {
    end = scanDatagrams(body, {
      node,
      session,
      onHeader: (units) => checkHeader("segment", units, name),
      onDatagram(found) {
        if (found.number !== next) {
          throw broken(name, `datagram ${found.number} of ${key} is out of place`);
        }
        next += 1;
        lastCommit = found.commit;
        onDatagram(found);
      },
    });
  } catch (error) {
    const isDatagram = error instanceof AppError && error.code === "ledger_datagram";
    throw isDatagram ? broken(name, error.message) : error;
  }
  if (end < body.byteLength) throw broken(name, "it ends in the middle of a datagram");
  if (next === first || next - 1 !== lastCommit) {
    throw broken(name, "it does not end with a whole commit");
  }
  return next - 1;
}

const broken = (name: string, why: string) =>
  new AppError("corrupt", "ledger_segment", `segment ${name} cannot be used: ${why}`);
