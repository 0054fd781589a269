import zlib from "node:zlib";
import { encodeRecord, encodeUnit } from "../../usv/index.ts";
import { checkParts, notOurs } from "./check-parts.ts";
import { datagramAt, type DatagramPlace } from "./datagram-place.ts";
import type { Datagram } from "./datagram.ts";

/** How many units a datagram has: its ten parts and their checksum. */
const datagramUnits = 11;

/** One record: the parts of a datagram, then the CRC-32 of these parts joined by US. */
export function encodeDatagram(datagram: Datagram): string {
  const { stamp, node, session, number, commit, target, field, source, causality } = datagram;
  const value = datagram.value ?? "";
  const content =
    `${stamp}\u001f${node}\u001f${session}\u001f${number}\u001f${commit}\u001f${target}\u001f` +
    `${field}\u001f${value}\u001f${source}\u001f${causality}`;
  const sum = checksumOf(content);
  // Nearly always there is nothing to escape. The units before the target never need it.
  const isPlain =
    encodeUnit(target) === target &&
    encodeUnit(field) === field &&
    encodeUnit(value) === value &&
    encodeUnit(source) === source &&
    encodeUnit(causality) === causality;
  if (isPlain) return `${content}\u001f${sum}\u001f\u001e\n`;
  const ids = [stamp, node, session, String(number), String(commit)];
  return encodeRecord([...ids, target, field, value, source, causality, sum]);
}

/** Throws `corrupt` for a record that we did not write, or that has changed since. */
export function datagramOf(units: readonly string[]): Datagram {
  if (units.length !== datagramUnits) {
    throw notOurs(`it has ${units.length} units, not ${datagramUnits}`);
  }
  const [stamp, node, session, number, commit, target, field, value, source, causality, sum] =
    units as Units;
  if (checksumOf(units.slice(0, -1).join("\u001f")) !== sum) {
    throw notOurs("its checksum does not match");
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
  checkParts(datagram);
  return datagram;
}

/** The datagram at a place in a text, with the same checks. */
export function checkedDatagramAt(text: string, place: DatagramPlace): Datagram {
  const { from, causalityTo } = place;
  const sum = text.slice(causalityTo + 1, causalityTo + 9);
  if (checksumOf(text.slice(from, causalityTo)) !== sum) {
    throw notOurs("its checksum does not match");
  }
  const datagram = datagramAt(text, place);
  checkParts(datagram);
  return datagram;
}

type Units = [
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

const checksumOf = (text: string) => zlib.crc32(text).toString(16).padStart(8, "0");

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw notOurs("its number is not valid");
  return number;
}
