import { eachOwnRecord, encodeRecord } from "../../usv/index.ts";
import { isNodeId, isSessionId } from "../datagram/check-parts.ts";
import { checkHeader, headerRecord, isHeaderOf } from "../file-header.ts";
import { lastKnown, type SessionKey, type Vector } from "../fold/vector.ts";
import type { LedgerDisk } from "../journal/disk.ts";

/**
 * Stores where each segment of this node ends. A segment is named by its first datagram alone, and
 * its length depends on when it was first sent. A segment that is sent again must hold the same
 * datagrams, because hubs fold and delete whole segments. Therefore:
 * - the end of a segment is on the disk before the segment is sent for the first time;
 * - a segment that is sent again is cut there.
 *
 * The file may be missing, because an older version did not write it. Then the ends are read from
 * the segments in the bucket.
 */
export interface SegmentLog {
  endOf(key: SessionKey, first: number): Promise<SegmentEnd | undefined>;
  /** Durable when it resolves. Writes nothing if this end is known already. */
  record(key: SessionKey, first: number, end: SegmentEnd): Promise<void>;
  /** Removes segments that a checkpoint covers: they are never sent again. */
  dropCovered(vector: Vector): Promise<void>;
}

export interface SegmentEnd {
  /** The number of its last datagram. */
  readonly last: number;
  /** The size of the object. */
  readonly bytes: number;
}

const fileName = "ledger/segments.usv";

export function createSegmentLog(disk: LedgerDisk): SegmentLog {
  let loading: Promise<Map<SessionKey, Map<number, SegmentEnd>>> | undefined;
  /**
   * The last record may be incomplete after a crash, or there is no file yet: write all of it next
   * time.
   */
  let mustReplace = true;

  const load = () =>
    (loading ??= read().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  const read = async () => {
    const text = Buffer.from((await disk.read(fileName)) ?? []).toString();
    const records: (readonly string[])[] = [];
    const whole = eachOwnRecord(text, (units) => void records.push(units));
    const sessions = new Map<SessionKey, Map<number, SegmentEnd>>();
    const [header = []] = records;
    // A damaged file counts as missing. A file of a newer version is refused.
    const isOurs = isHeaderOf("segments", header);
    if (isOurs) checkHeader("segments", header, fileName);
    if (isOurs) for (const units of records.slice(1)) add(sessions, units);
    mustReplace = !isOurs || whole < text.length;
    return sessions;
  };
  const replace = async (sessions: ReadonlyMap<SessionKey, ReadonlyMap<number, SegmentEnd>>) => {
    const lines = [...sessions].flatMap(([key, ends]) =>
      [...ends].map(([first, end]) => lineOf(key, first, end)),
    );
    await disk.replace(fileName, Buffer.from(headerRecord("segments") + lines.join("")));
    mustReplace = false;
  };

  return {
    endOf: async (key, first) => (await load()).get(key)?.get(first),
    async record(key, first, end) {
      const sessions = await load();
      const known = sessions.get(key)?.get(first);
      if (known?.last === end.last && known.bytes === end.bytes && !mustReplace) return;
      const ends = sessions.get(key) ?? new Map<number, SegmentEnd>();
      sessions.set(key, ends.set(first, end));
      if (mustReplace) return replace(sessions);
      mustReplace = true; // a failed append may leave any part of the line
      await disk.append(fileName, Buffer.from(lineOf(key, first, end)));
      mustReplace = false;
    },
    async dropCovered(vector) {
      const sessions = await load();
      let isChanged = false;
      for (const [key, ends] of sessions) {
        for (const [first, { last }] of ends) {
          if (last <= lastKnown(vector, key)) isChanged = ends.delete(first) || isChanged;
        }
        if (ends.size === 0) sessions.delete(key);
      }
      if (isChanged) await replace(sessions);
    },
  };
}

const lineOf = (key: SessionKey, first: number, { last, bytes }: SegmentEnd) =>
  encodeRecord([key, String(first), String(last), String(bytes)]);

/** The last record of a segment counts. Malformed records are ignored. */
function add(sessions: Map<SessionKey, Map<number, SegmentEnd>>, units: readonly string[]): void {
  const [key = "", ...numbers] = units;
  const [first = 0, last = 0, bytes = 0] = numbers.map(Number);
  const [node, session] = key.split("/");
  const isGood =
    isNodeId(node) &&
    isSessionId(session) &&
    [first, last, bytes].every((one) => Number.isSafeInteger(one) && one > 0) &&
    first <= last;
  if (!isGood) return;
  const ends = sessions.get(key) ?? new Map<number, SegmentEnd>();
  sessions.set(key, ends.set(first, { last, bytes }));
}
