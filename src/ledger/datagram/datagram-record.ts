import { crc32 } from "node:zlib";
import { AppError } from "../../base/app-error.ts";
import { encodeRecord } from "../../usv/index.ts";
import type { Datagram } from "./datagram.ts";

/** How many units a datagram has: its ten parts and their checksum. */
export const datagramUnits = 11;

/** The parts of a datagram as text, with a checksum of them: CRC-32 of all, joined by US. */
export function unitsOf(datagram: Datagram): string[] {
  const { stamp, node, session, number, commit, target, field, value, source } = datagram;
  const units = [
    stamp,
    node,
    session,
    String(number),
    String(commit),
    target,
    field,
    value ?? "",
    source,
    datagram.causality,
  ];
  units.push(checksumOf(units.join("\u001f")));
  return units;
}

export const encodeDatagram = (datagram: Datagram): string => encodeRecord(unitsOf(datagram));

/**
 * Throws `corrupt` for what we did not write, or what has changed since. `raw`, the record's own
 * text, spares joining the units again for their checksum.
 */
export function datagramOf(units: readonly string[], raw?: string): Datagram {
  if (units.length !== datagramUnits) {
    throw notOurs(`it has ${units.length} units, not ${datagramUnits}`);
  }
  const [stamp, node, session, number, commit, target, field, value, source, causality, sum] =
    units as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
  const content = raw === undefined || raw.includes("\u001b") ? undefined : raw.slice(0, -sumTail);
  const expected = checksumOf(content ?? units.slice(0, -1).join("\u001f"));
  if (expected !== sum) throw notOurs("its checksum does not fit");
  if (!isStamp(stamp)) throw notOurs("its stamp is not one");
  if (node !== lastNode || session !== lastSession) {
    if (!nodePattern.test(node) || !sessionPattern.test(session)) {
      throw notOurs("its ids are not ours");
    }
    [lastNode, lastSession] = [node, session];
  }
  const datagram = {
    stamp,
    node,
    session,
    number: wholeNumber(number),
    commit: wholeNumber(commit),
    target,
    field,
    value: value === "" ? undefined : value,
    source,
    causality,
  };
  if (datagram.commit < datagram.number) throw notOurs("its commit ends before it");
  return datagram;
}

export const nodeIdLength = 13;
export const sessionIdLength = 26;
const nodePattern = /^[0-9a-hjkmnp-tv-z]{13}$/;
const sessionPattern = /^[0-9a-hjkmnp-tv-z]{26}$/;

/** What arrives becomes part of keys and of file names: it must be what we make ourselves. */
export const isNodeId = (text: unknown): text is string =>
  typeof text === "string" && nodePattern.test(text);
export const isSessionId = (text: unknown): text is string =>
  typeof text === "string" && sessionPattern.test(text);

const checksumOf = (text: string) => crc32(text).toString(16).padStart(8, "0");
/** What follows the content in a record: US, eight digits, US, RS, LF. */
const sumTail = 12;
/** Datagrams come in long rows of one session: its ids are looked at once. */
let [lastNode, lastSession] = ["", ""];

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw notOurs("its number is not one");
  return number;
}

const timePattern = /^T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z-[0-9a-f]{4}$/;
const goodDays = new Set<string>();

/** The calendar is asked once a day: millions of stamps share a few days. */
function isStamp(text: string): boolean {
  if (!timePattern.test(text.slice(10))) return false;
  const day = text.slice(0, 10);
  if (goodDays.has(day)) return true;
  const ms = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : NaN;
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day) return false;
  if (goodDays.size > 10_000) goodDays.clear();
  goodDays.add(day);
  return true;
}

const notOurs = (why: string) =>
  new AppError("corrupt", "ledger_datagram", `a datagram cannot be read: ${why}`);
