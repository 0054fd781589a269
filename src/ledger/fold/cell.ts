import {
  compareDatagrams,
  dotOf,
  dotOfReference,
  stampWidth,
  type Datagram,
  type Dot,
} from "../datagram/datagram.ts";
import { nodeIdLength, sessionIdLength } from "../datagram/check-parts.ts";
import { laneOf } from "./lane.ts";

/**
 * What is known of one field: the last write of each lane, and the writes that lost without being
 * seen by a later writer. Invariants:
 * - it depends on the set of datagrams, not on their order, provided that each comes once (the
 *   vector of a state ensures that);
 * - a losing write is kept as a conflict if and only if no known datagram names it as its
 *   causality;
 * - removing a value removes only the value: a cell that was unset keeps its clock.
 */
export interface Cell {
  readonly lanes: (CellEntry | undefined)[];
  conflicts: readonly Datagram[];
  /** Dots named as causality that have not arrived: they arrive later, or were removed long ago. */
  names: readonly Dot[];
}

export interface CellEntry {
  readonly datagram: Datagram;
  /** A known datagram names it: if it loses, its loss was seen. */
  readonly isNamed: boolean;
  /** Its record, if it was read from one: then it need not be encoded again. */
  readonly record: string | undefined;
}

const none: readonly never[] = [];

export const createCell = (): Cell => ({
  lanes: [undefined, undefined, undefined],
  conflicts: none,
  names: none,
});

export const copyCell = (cell: Cell): Cell => ({ ...cell, lanes: cell.lanes.slice() });

/** Merges one more datagram into the cell. */
export function mergeInto(cell: Cell, datagram: Datagram, record?: string): void {
  if (datagram.causality !== "") nameIn(cell, datagram.causality);
  let isNamed = false;
  if (cell.names.length > 0) {
    const dot = dotOf(datagram);
    isNamed = cell.names.includes(dot);
    if (isNamed) cell.names = cell.names.filter((one) => one !== dot);
  }
  const lane = laneOf(datagram);
  const last = cell.lanes[lane];
  const isLater = !last || compareDatagrams(datagram, last.datagram) > 0;
  const entry = { datagram, isNamed, record };
  if (isLater) cell.lanes[lane] = entry;
  const loser = isLater ? last : entry;
  if (loser && !loser.isNamed) cell.conflicts = [...cell.conflicts, loser.datagram];
}

/** Marks the value with this reference as seen by a later writer. */
function nameIn(cell: Cell, reference: string): void {
  const { lanes } = cell;
  for (let lane = 0; lane < lanes.length; lane++) {
    const entry = lanes[lane];
    if (!entry || !isNamedBy(reference, entry.datagram)) continue;
    if (!entry.isNamed) lanes[lane] = { ...entry, isNamed: true };
    return;
  }
  const dot = dotOfReference(reference);
  if (cell.conflicts.length > 0) {
    const conflicts = cell.conflicts.filter((loser) => dotOf(loser) !== dot);
    const isFound = conflicts.length < cell.conflicts.length;
    cell.conflicts = conflicts;
    if (isFound) return;
  }
  if (!cell.names.includes(dot)) cell.names = [...cell.names, dot];
}

/** Compares the stamp first, because it differs in most cases. */
const isNamedBy = (reference: string, { stamp, node, session, number }: Datagram) =>
  reference.slice(0, stampWidth) === stamp &&
  reference.slice(nodeFrom, sessionFrom - 1) === node &&
  reference.slice(sessionFrom, numberFrom - 1) === session &&
  Number(reference.slice(numberFrom)) === number;

const nodeFrom = stampWidth + 1;
const sessionFrom = nodeFrom + nodeIdLength + 1;
const numberFrom = sessionFrom + sessionIdLength + 1;

/** The cell without some of its datagrams. */
export function cutCell(cell: Cell, isGone: (datagram: Datagram) => boolean): Cell {
  return {
    lanes: cell.lanes.map((entry) => (entry && !isGone(entry.datagram) ? entry : undefined)),
    conflicts: cell.conflicts.filter((datagram) => !isGone(datagram)),
    names: cell.names,
  };
}

export const isEmptyCell = ({ lanes, conflicts, names }: Cell): boolean =>
  conflicts.length === 0 && names.length === 0 && lanes.every((entry) => entry === undefined);
