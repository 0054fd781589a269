import {
  compareDatagrams,
  dotOf,
  dotOfReference,
  type Datagram,
  type Dot,
} from "../datagram/datagram.ts";
import { laneOf, laneCount } from "./lane.ts";

/**
 * What is known of one field: for each lane the last write, and the writes that lost without their
 * winner's side having seen them. Always:
 * - it depends on the set of datagrams, not on their order, given that each comes once (the vector
 *   of a state sees to that);
 * - a loser is kept as a conflict iff no known datagram names it as its causality;
 * - nothing is forgotten of a value but the value: a cell that was unset keeps its clock.
 */
export interface Cell {
  readonly lanes: readonly (Entry | undefined)[];
  readonly conflicts: readonly Datagram[];
  /** Named as causality by someone, and not seen here: they arrive later, or are long gone. */
  readonly names: readonly Dot[];
}

export interface Entry {
  readonly datagram: Datagram;
  /** Some known datagram names it: if it loses, its loss was seen. */
  readonly isNamed: boolean;
}

const none: readonly never[] = [];
const emptyLanes: readonly undefined[] = Array.from({ length: laneCount }, () => undefined);
export const emptyCell: Cell = { lanes: emptyLanes, conflicts: none, names: none };

/** The cell with one more datagram in it. */
export function mergeCell(cell: Cell, datagram: Datagram): Cell {
  const base = datagram.causality === "" ? cell : nameIn(cell, datagram.causality);
  let { names, conflicts } = base;
  let isNamed = false;
  if (names.length > 0) {
    const dot = dotOf(datagram);
    isNamed = names.includes(dot);
    if (isNamed) names = names.filter((one) => one !== dot);
  }
  const lane = laneOf(datagram);
  const last = base.lanes[lane];
  const isLater = !last || compareDatagrams(datagram, last.datagram) > 0;
  const loser = isLater ? last : { datagram, isNamed };
  if (loser && !loser.isNamed) conflicts = [...conflicts, loser.datagram];
  if (!isLater) return { lanes: base.lanes, conflicts, names };
  const lanes = base.lanes.slice();
  lanes[lane] = { datagram, isNamed };
  return { lanes, conflicts, names };
}

/** Someone had seen that value. */
function nameIn(cell: Cell, reference: string): Cell {
  const lane = cell.lanes.findIndex(
    (entry) => entry !== undefined && isNamedBy(reference, entry.datagram),
  );
  if (lane >= 0) {
    const entry = cell.lanes[lane]!;
    if (entry.isNamed) return cell;
    const lanes = cell.lanes.slice();
    lanes[lane] = { datagram: entry.datagram, isNamed: true };
    return { ...cell, lanes };
  }
  const dot = dotOfReference(reference);
  const conflicts = cell.conflicts.filter((loser) => dotOf(loser) !== dot);
  if (conflicts.length < cell.conflicts.length) return { ...cell, conflicts };
  return cell.names.includes(dot) ? cell : { ...cell, names: [...cell.names, dot] };
}

/** The stamp first: it tells most of them apart, and makes no new text. */
const isNamedBy = (reference: string, datagram: Datagram) =>
  reference.startsWith(datagram.stamp) && dotOfReference(reference) === dotOf(datagram);

/** Without what was written up to a moment. */
export function cutCell(cell: Cell, floor: string): Cell {
  return {
    lanes: cell.lanes.map((entry) => (entry && entry.datagram.stamp > floor ? entry : undefined)),
    conflicts: cell.conflicts.filter(({ stamp }) => stamp > floor),
    names: cell.names,
  };
}

export const isEmptyCell = ({ lanes, conflicts, names }: Cell): boolean =>
  conflicts.length === 0 && names.length === 0 && lanes.every((entry) => entry === undefined);
