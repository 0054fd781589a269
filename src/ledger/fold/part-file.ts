import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import { eachOwnLine, encodeRecord, escapedUnits, hasEscape } from "../../usv/index.ts";
import { createPlace, datagramAt, locate } from "../datagram/datagram-place.ts";
import { checkedDatagramAt, datagramOf, encodeDatagram } from "../datagram/datagram-record.ts";
import { compareDatagrams, compareText, type Datagram, type Dot } from "../datagram/datagram.ts";
import { checkHeader, headerRecord } from "../file-header.ts";
import type { Cell } from "./cell.ts";
import { isMarker } from "./erased.ts";
import { laneOf } from "./lane.ts";
import { cellOf, foldInto, settleErased, type PartState, type TargetState } from "./part-state.ts";

/**
 * A part as text. One state has exactly one text: targets, fields and entries have a fixed order,
 * so that replicas can be compared byte by byte, and an unchanged part keeps its name. `isKnown`
 * says which dots have arrived: their names need not be stored.
 */
export function encodePart(part: PartState, isKnown: (dot: Dot) => boolean): string {
  const out = [partHeader];
  for (const [target, fields] of [...part].sort(byKey)) {
    out.push(encodeTarget(target, fields, isKnown));
  }
  return out.join("");
}

export const partHeader = headerRecord("part");

/** The records of one target. */
export function encodeTarget(
  target: string,
  fields: TargetState,
  isKnown: (dot: Dot) => boolean,
): string {
  let text = "";
  for (const [field, cell] of [...fields].sort(byKey)) {
    for (const entry of cell.lanes) {
      if (!entry) continue;
      const record = entry.record ?? encodeDatagram(entry.datagram);
      text += (entry.isNamed ? namedRole : lastRole) + record;
    }
    if (cell.conflicts.length > 0) {
      for (const loser of cell.conflicts.toSorted(compareDatagrams)) {
        text += conflictRole + encodeDatagram(loser);
      }
    }
    if (cell.names.length === 0) continue;
    const names = cell.names.filter((dot) => !isKnown(dot)).sort(compareText);
    for (const dot of names) text += encodeRecord(["n", target, field, dot]);
  }
  return text;
}

/** What `encodeTarget` wrote. */
export function decodeTarget(target: string, text: string): TargetState {
  const part: PartState = new Map();
  decodeRecords(part, text, { name: `the state of ${target}` });
  settleAllErased(part);
  return part.get(target) ?? new Map();
}

/** A record's role, which precedes the datagram's record. */
const roleOf = (letter: string) => encodeRecord([letter]).slice(0, roleWidth);
const roleWidth = 2;
/** The end of a record. The header is a record too, so its first occurrence ends the header. */
const recordEnd = encodeRecord([]);
const [namedRole, lastRole, conflictRole] = [roleOf("W"), roleOf("w"), roleOf("c")];

export function decodePart(text: string, name: string): PartState {
  const part: PartState = new Map();
  decodeRecords(part, text, { name, start: headerEndOf(text, name) });
  settleAllErased(part);
  return part;
}

/** Earlier versions ignore markers, so a part may contain a marker and also the values it erased. */
function settleAllErased(part: PartState): void {
  for (const [target, fields] of part) if (fields.markers) settleErased(target, fields);
}

/** Where the first record after the header begins. */
export function headerEndOf(text: string, name: string): number {
  if (text === "") throw cutOff(name);
  const end = text.indexOf(recordEnd) + recordEnd.length;
  const isEnded = end >= recordEnd.length;
  checkHeader("part", isEnded ? escapedUnits(text.slice(0, end)) : [text.slice(0, 40)], name);
  return end;
}

/** The records from `start` on. */
export function decodeRecords(
  part: PartState,
  text: string,
  { name, start = 0 }: { readonly name: string; readonly start?: number },
): void {
  const place = createPlace();
  const end = eachOwnLine(
    text,
    (from, lineEnd, next, isEscaping) => {
      const role = text[from];
      if (role === "n") return takeName(part, escapedUnits(text.slice(from, next)), name);
      if (role !== "w" && role !== "W" && role !== "c") {
        throw corrupt(name, `a record of kind ${role}`);
      }
      const start = from + roleWidth;
      const isPlain = !isEscaping && locate(text, start, lineEnd, place);
      const datagram = isPlain
        ? checkedDatagramAt(text, place)
        : datagramOf(escapedUnits(text.slice(start, next)));
      const cell = cellAt(part, datagram);
      if (role === "c") cell.conflicts = [...cell.conflicts, datagram];
      else {
        const record = isPlain ? text.slice(start, next) : undefined;
        cell.lanes[laneOf(datagram)] = { datagram, isNamed: role === "W", record };
      }
    },
    start,
  );
  if (end < text.length) throw cutOff(name);
}

/** The target of the record in a line. `end` is the position of its end mark. */
export function targetAt(text: string, from: number, end: number): string {
  const isPlain = text[from] !== "n" && !hasEscape(text, from, end);
  if (isPlain && locate(text, from + roleWidth, end, spot))
    return text.slice(spot.targetFrom, spot.targetTo);
  const units = escapedUnits(text.slice(from, end + 2));
  return (units[0] === "n" ? units[1] : units[targetUnit]) ?? "";
}

/** Reused for each record. */
const spot = createPlace();
/** The target's index in a record: role, stamp, node, session, number and commit precede it. */
const targetUnit = 6;

function takeName(part: PartState, units: readonly string[], name: string): void {
  const [, target = "", field = "", dot = ""] = units;
  if (units.length !== 4) throw corrupt(name, `a record of ${units.length} units`);
  const cell = cellAt(part, { target, field });
  cell.names = [...cell.names, dot];
}

/** Folds records of datagrams, which were checked when they were read. */
export function foldRecords(
  part: PartState,
  records: Uint8Array,
  isCounted: (datagram: Datagram) => boolean,
): void {
  const bytes = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
  const text = bytes.toString(isAscii(bytes) ? "latin1" : "utf8"); // latin1 is a plain copy, so it is faster
  const place = createPlace();
  eachOwnLine(text, (from, end, next, isEscaping) => {
    const isPlain = !isEscaping && locate(text, from, end, place);
    const datagram = isPlain
      ? datagramAt(text, place)
      : datagramOf(escapedUnits(text.slice(from, next)));
    if (!isCounted(datagram)) return;
    foldInto(part, datagram, isPlain ? text.slice(from, next) : undefined);
  });
}

export const digestOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex");

function cellAt(part: PartState, place: Pick<Datagram, "target" | "field">): Cell {
  let fields = part.get(place.target);
  if (!fields) part.set(place.target, (fields = new Map()));
  if (isMarker(place.field)) fields.markers ??= new Map();
  return cellOf(fields, place.field);
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  compareText(a, b);

const cutOff = (name: string) => corrupt(name, "it is empty, or cut off");
const corrupt = (name: string, what: string) =>
  new AppError("corrupt", "ledger_part", `${name} is not a part of a checkpoint: ${what}`);
