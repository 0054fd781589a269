import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import { eachOwnRecord, encodeRecord } from "../../usv/index.ts";
import { datagramOf, unitsOf } from "../datagram/datagram-record.ts";
import { compareDatagrams, compareText, type Dot } from "../datagram/datagram.ts";
import { checkHeader, headerRecord } from "../file-header.ts";
import { emptyCell, isEmptyCell, type Cell } from "./cell.ts";
import { laneCount, laneOf } from "./lane.ts";
import type { PartState } from "./part-state.ts";

/**
 * A part as text. One state has one text: targets, fields and entries stand in a fixed order, so
 * that replicas can be compared byte by byte, and a part that did not change keeps its name.
 * `isKnown` tells which dots have arrived: names of those need no remembering.
 */
export function encodePart(part: PartState, isKnown: (dot: Dot) => boolean): string {
  const out = [headerRecord("part")];
  for (const [target, fields] of [...part].sort(byKey)) {
    for (const [field, cell] of [...fields].sort(byKey)) {
      const names = cell.names.filter((dot) => !isKnown(dot)).sort(compareText);
      if (isEmptyCell({ ...cell, names })) continue;
      for (const entry of cell.lanes) {
        if (entry) out.push(encodeRecord([entry.isNamed ? "W" : "w", ...unitsOf(entry.datagram)]));
      }
      for (const loser of cell.conflicts.toSorted(compareDatagrams)) {
        out.push(encodeRecord(["c", ...unitsOf(loser)]));
      }
      for (const dot of names) out.push(encodeRecord(["n", target, field, dot]));
    }
  }
  return out.join("");
}

export function decodePart(text: string, name: string): PartState {
  const part: PartState = new Map();
  let isFirst = true;
  const onRecord = (units: string[]) => {
    if (isFirst) {
      isFirst = false;
      return checkHeader("part", units, name);
    }
    const role = units[0];
    if (role === "n" && units.length === 4) {
      const [, target = "", field = "", dot = ""] = units;
      const cell = cellAt(part, target, field);
      return keep(part, target, field, { ...cell, names: [...cell.names, dot] });
    }
    if (role !== "w" && role !== "W" && role !== "c")
      throw corrupt(name, `a record of kind ${role}`);
    const datagram = datagramOf(units.slice(1));
    const { target, field } = datagram;
    const cell = cellAt(part, target, field);
    if (role === "c") {
      return keep(part, target, field, { ...cell, conflicts: [...cell.conflicts, datagram] });
    }
    const lanes = Array.from({ length: laneCount }, (_, lane) => cell.lanes[lane]);
    lanes[laneOf(datagram)] = { datagram, isNamed: role === "W" };
    keep(part, target, field, { ...cell, lanes });
  };
  const end = eachOwnRecord(text, onRecord);
  if (isFirst && end === 0 && text !== "") checkHeader("part", [text.slice(0, 40)], name);
  if (isFirst || end < text.length) throw corrupt(name, "it is empty, or cut off");
  return part;
}

export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const cellAt = (part: PartState, target: string, field: string): Cell =>
  part.get(target)?.get(field) ?? emptyCell;

function keep(part: PartState, target: string, field: string, cell: Cell): void {
  let fields = part.get(target);
  if (!fields) part.set(target, (fields = new Map()));
  fields.set(field, cell);
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  compareText(a, b);

const corrupt = (name: string, what: string) =>
  new AppError("corrupt", "ledger_part", `${name} is not a part of a checkpoint: ${what}`);
