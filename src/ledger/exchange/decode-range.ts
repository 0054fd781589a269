import { isUtf8 } from "node:buffer";
import { AppError } from "../../base/app-error.ts";
import { eachOwnRecord } from "../../usv/index.ts";
import {
  checkField,
  checkReference,
  checkSource,
  checkTarget,
  commitFieldsMax,
  valueBytesMax,
} from "../datagram/check-input.ts";
import { notOurs } from "../datagram/check-parts.ts";
import { datagramOf, encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { sessionKey } from "../fold/vector.ts";
import type { RecordRange } from "./exchange.ts";

/**
 * Decodes and checks records from another node: each is one whole record with the right checksum,
 * byte for byte as we would write it, of the claimed session and number, and holds only what a
 * write may hold. Throws `corrupt` or `invalid` for anything else.
 */
export function decodeRange({ origin, from, records }: RecordRange): readonly Datagram[] {
  return records.map((record, index) => {
    const datagram = decodeRecord(record);
    const number = from + index;
    if (sessionKey(datagram) !== origin || datagram.number !== number) {
      throw notOurs(`it is not datagram ${number} of ${origin.slice(0, 60)}`);
    }
    checkContent(datagram);
    return datagram;
  });
}

function decodeRecord(record: Uint8Array): Datagram {
  if (!isUtf8(record)) throw notOurs("it is not UTF-8");
  const text = Buffer.from(record.buffer, record.byteOffset, record.byteLength).toString();
  const found: string[][] = [];
  const end = eachOwnRecord(text, (units) => found.push(units));
  if (found.length !== 1 || end !== text.length) throw notOurs("it is not one record");
  const datagram = datagramOf(found[0]!);
  if (encodeDatagram(datagram) !== text) throw notOurs("it differs from what was written");
  return datagram;
}

function checkContent(datagram: Datagram): void {
  const { target, field, value, source, causality, number, commit } = datagram;
  checkTarget(target);
  checkField(field);
  checkSource(source);
  checkReference(causality);
  if (commit - number >= commitFieldsMax) throw notOurs("its commit is too long");
  if (value === undefined) return;
  if (Buffer.byteLength(value) > valueBytesMax) throw notOurs("its value is too long");
  try {
    JSON.parse(value);
  } catch (cause) {
    throw new AppError("corrupt", "ledger_datagram", "a received value is not JSON", { cause });
  }
}
