import { nodeIdLength, sessionIdLength } from "./check-parts.ts";
import { stampWidth, type Datagram } from "./datagram.ts";

/**
 * Positions of the units of a datagram in a text. Millions are read in a row, so one object is
 * reused, and units that nobody asks for are never copied.
 */
export interface DatagramPlace {
  from: number;
  number: number;
  commit: number;
  targetFrom: number;
  targetTo: number;
  fieldTo: number;
  valueTo: number;
  sourceTo: number;
  /** Where the content ends; a separator and the checksum follow. */
  causalityTo: number;
}

export const createPlace = (): DatagramPlace => ({
  from: 0,
  number: 0,
  commit: 0,
  targetFrom: 0,
  targetTo: 0,
  fieldTo: 0,
  valueTo: 0,
  sourceTo: 0,
  causalityTo: 0,
});

const unitEnd = "\u001f";
const unitEndCode = 0x1f;
const nodeFrom = stampWidth + 1;
const sessionFrom = nodeFrom + nodeIdLength + 1;
const numberFrom = sessionFrom + sessionIdLength + 1;
const checksumWidth = 8;

/** Returns false if the text between `from` and `end` is not a datagram without escapes. */
export function locate(text: string, from: number, end: number, place: DatagramPlace): boolean {
  if (
    text.charCodeAt(from + stampWidth) !== unitEndCode ||
    text.charCodeAt(from + sessionFrom - 1) !== unitEndCode ||
    text.charCodeAt(from + numberFrom - 1) !== unitEndCode
  ) {
    return false;
  }
  place.from = from;
  const numberTo = digitsTo(text, from + numberFrom);
  place.number = digits;
  const commitTo = digitsTo(text, numberTo + 1);
  place.commit = digits;
  if (numberTo < 0 || commitTo < 0) return false;
  place.targetFrom = commitTo + 1;
  place.targetTo = text.indexOf(unitEnd, place.targetFrom);
  place.fieldTo = text.indexOf(unitEnd, place.targetTo + 1);
  place.valueTo = text.indexOf(unitEnd, place.fieldTo + 1);
  place.sourceTo = text.indexOf(unitEnd, place.valueTo + 1);
  // The checksum has a fixed width, so the rest is the causality, which contains no separator.
  place.causalityTo = end - checksumWidth - 2;
  // indexOf of a missing separator gives a position out of order.
  return (
    place.targetFrom < place.targetTo &&
    place.targetTo < place.fieldTo &&
    place.fieldTo < place.valueTo &&
    place.valueTo < place.sourceTo &&
    text.indexOf(unitEnd, place.sourceTo + 1) === place.causalityTo &&
    text.indexOf(unitEnd, place.causalityTo + 1) === end - 1
  );
}

/** The number that `digitsTo` read. */
let digits = 0;

/** The end of a whole number from 1 on, written as we write it; negative if there is none. */
function digitsTo(text: string, from: number): number {
  let value = text.charCodeAt(from) - 0x30;
  if (!(value >= 1 && value <= 9)) return -1;
  for (let at = from + 1; ; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) {
      digits = value;
      return text.charCodeAt(at) === unitEndCode && Number.isSafeInteger(value) ? at : -1;
    }
    value = value * 10 + digit;
  }
}

export const stampAt = (text: string, from: number): string => text.slice(from, from + stampWidth);

/** Node and session as they are written in a record. */
export const idsOf = (node: string, session: string): string =>
  `${unitEnd}${node}${unitEnd}${session}${unitEnd}`;
export const isOfIds = (text: string, from: number, ids: string): boolean =>
  text.slice(from + stampWidth, from + numberFrom) === ids; // startsWith takes five times as long

/** The datagram at a place that was located in this same text. */
export function datagramAt(text: string, place: DatagramPlace): Datagram {
  const { from, targetTo, fieldTo, valueTo, sourceTo } = place;
  const hasValue = valueTo > fieldTo + 1;
  return {
    stamp: stampAt(text, from),
    node: text.slice(from + nodeFrom, from + sessionFrom - 1),
    session: text.slice(from + sessionFrom, from + numberFrom - 1),
    number: place.number,
    commit: place.commit,
    target: text.slice(place.targetFrom, targetTo),
    field: text.slice(targetTo + 1, fieldTo),
    value: hasValue ? text.slice(fieldTo + 1, valueTo) : undefined,
    source: text.slice(valueTo + 1, sourceTo),
    causality: text.slice(sourceTo + 1, place.causalityTo),
  };
}
