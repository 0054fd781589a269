import { AppError } from "../../base/app-error.ts";
import { eachOwnRecord } from "../../usv/index.ts";
import { datagramOf, encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { sessionKey } from "../fold/vector.ts";
import { checkHeader, headerRecord } from "../file-header.ts";

/** A piece of a session's log in the bucket: whole commits, contiguous numbers, never changed. */
export interface Segment {
  readonly datagrams: readonly Datagram[];
  /** The text of each of them. */
  readonly raws: readonly string[];
  readonly lastNumber: number;
}

/** When to begin another one; a commit is never parted. */
const bytesMax = 256 * 1024;

/** The first segment of these datagrams, which are whole commits of one session in order. */
export function cutSegment(datagrams: readonly Datagram[]): {
  readonly body: Uint8Array;
  readonly lastNumber: number;
} {
  const lines = [headerRecord("segment")];
  let bytes = 0;
  let lastNumber = 0;
  for (const datagram of datagrams) {
    const line = encodeDatagram(datagram);
    lines.push(line);
    bytes += line.length;
    lastNumber = datagram.number;
    if (bytes >= bytesMax && datagram.number === datagram.commit) break;
  }
  return { body: Buffer.from(lines.join("")), lastNumber };
}

/** Throws `corrupt` unless it is a segment of that session that begins with that number. */
export function readSegment(
  body: Uint8Array,
  { key, first, name }: { readonly key: string; readonly first: number; readonly name: string },
): Segment {
  const datagrams: Datagram[] = [];
  const raws: string[] = [];
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const [node, session] = key.split("/");
  let isHeader = true;
  const end = eachOwnRecord(text, (units, raw) => {
    if (isHeader) {
      isHeader = false;
      return checkHeader("segment", units, name);
    }
    const datagram = readDatagram(units, raw, name);
    const isInPlace = datagram.node === node && datagram.session === session;
    if (!isInPlace || datagram.number !== first + datagrams.length) {
      throw broken(name, `datagram ${datagram.number} of ${sessionKey(datagram)} is out of place`);
    }
    datagrams.push(datagram);
    raws.push(raw);
  });
  if (end < text.length) throw broken(name, "it ends in the middle of a datagram");
  const last = datagrams.at(-1);
  if (!last || last.number !== last.commit)
    throw broken(name, "it does not end with a whole commit");
  return { datagrams, raws, lastNumber: last.number };
}

function readDatagram(units: readonly string[], raw: string, name: string): Datagram {
  try {
    return datagramOf(units, raw);
  } catch (error) {
    const isDatagram = error instanceof AppError && error.code === "ledger_datagram";
    throw isDatagram ? broken(name, error.message) : error;
  }
}

const broken = (name: string, why: string) =>
  new AppError("corrupt", "ledger_segment", `segment ${name} cannot be used: ${why}`);
