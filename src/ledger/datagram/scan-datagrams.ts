import { isAscii, isUtf8 } from "node:buffer";
import { eachOwnLine, escapedUnits } from "../../usv/index.ts";
import { checkParts, isStampAt, notOurs } from "./check-parts.ts";
import { checksumOfBytes, isChecksumText } from "./checksum.ts";
import { createPlace, datagramAt, idsOf, isOfIds, locate, stampAt } from "./datagram-place.ts";
import { datagramOf } from "./datagram-record.ts";
import type { Datagram } from "./datagram.ts";

/** A checked datagram in the bytes of a file, not copied. Valid until the next one is read. */
export interface ScannedDatagram {
  /** The range of its record, line end included. */
  readonly from: number;
  readonly to: number;
  readonly number: number;
  readonly commit: number;
  stamp(): string;
  target(): string;
  /** Whether its target begins with this name. */
  isAbout(kind: string): boolean;
  /** CRC-32 of the target, which determines its part. */
  targetChecksum(): number;
  /** A copy that stays valid. */
  datagram(): Datagram;
}

export interface ScanOptions {
  /** Node and session of the file. Datagrams of another session are an error. */
  readonly node: string;
  readonly session: string;
  /** The first record of the file. */
  readonly onHeader: (units: readonly string[]) => void;
  readonly onDatagram: (found: ScannedDatagram) => void;
}

/** Returns how many bytes were whole records. Throws what `datagramOf` throws. */
export function scanDatagrams(body: Uint8Array, options: ScanOptions): number {
  const { node, session, onHeader, onDatagram } = options;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Decode as latin1, one character for each byte, so positions in the text are positions in the
  // bytes.
  const text = bytes.toString("latin1");
  const isPlain = isAscii(bytes);
  if (!isPlain && !isUtf8(bytes)) throw notOurs("it is not UTF-8");
  const ids = idsOf(node, session);
  const place = createPlace();
  let isHeader = true;

  const cut = (from: number, to: number) =>
    isPlain ? text.slice(from, to) : bytes.toString("utf8", from, to);
  const copy = (): Datagram => {
    const found = datagramAt(text, place);
    if (isPlain) return found;
    const { targetFrom, targetTo, fieldTo, valueTo, sourceTo, causalityTo } = place;
    return {
      ...found,
      target: cut(targetFrom, targetTo),
      field: cut(targetTo + 1, fieldTo),
      value: found.value === undefined ? undefined : cut(fieldTo + 1, valueTo),
      source: cut(valueTo + 1, sourceTo),
      causality: cut(sourceTo + 1, causalityTo),
    };
  };
  const plain = {
    from: 0,
    to: 0,
    number: 0,
    commit: 0,
    stamp: () => stampAt(text, place.from),
    target: () => cut(place.targetFrom, place.targetTo),
    isAbout: (kind: string) => text.startsWith(kind, place.targetFrom),
    targetChecksum: () => checksumOfBytes(bytes, place.targetFrom, place.targetTo),
    datagram: copy,
  };

  return eachOwnLine(text, (from, end, next, hasEscape) => {
    if (isHeader) {
      isHeader = false;
      return onHeader(escapedUnits(bytes.toString("utf8", from, next)));
    }
    if (hasEscape || !isOfIds(text, from, ids) || !locate(text, from, end, place)) {
      const datagram = datagramOf(escapedUnits(bytes.toString("utf8", from, next)));
      if (datagram.node !== node || datagram.session !== session) {
        const { number } = datagram;
        throw notOurs(`it is datagram ${number} of ${datagram.node}/${datagram.session}`);
      }
      return onDatagram(escapedDatagram(datagram, from, next));
    }
    const sum = checksumOfBytes(bytes, from, place.causalityTo);
    if (!isChecksumText(text, place.causalityTo + 1, sum)) {
      throw notOurs("its checksum does not match");
    }
    if (!isStampAt(text, from) || place.commit < place.number) checkParts(copy());
    plain.from = from;
    plain.to = next;
    plain.number = place.number;
    plain.commit = place.commit;
    onDatagram(plain);
  });
}

/** For records with escapes, whose units cannot be read in place. */
function escapedDatagram(datagram: Datagram, from: number, to: number): ScannedDatagram {
  const { number, commit, stamp, target } = datagram;
  return {
    from,
    to,
    number,
    commit,
    stamp: () => stamp,
    target: () => target,
    isAbout: (kind) => target.startsWith(kind),
    targetChecksum() {
      const bytes = Buffer.from(target);
      return checksumOfBytes(bytes, 0, bytes.length);
    },
    datagram: () => datagram,
  };
}
