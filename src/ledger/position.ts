import type { Core } from "./core.ts";
import { dotOf, type Datagram, type Dot } from "./datagram/datagram.ts";
import { decodePart } from "./fold/part-file.ts";
import { targetsOf } from "./fold/part-text.ts";
import { partCount, partOf, type TargetState } from "./fold/part-state.ts";
import { sessionKey } from "./fold/vector.ts";
import type { Replica } from "./replica.ts";

/**
 * How far someone has come who follows the ledger: plain JSON, to be kept and given back. It tells
 * what was known, durably; nothing in it depends on the order in which things arrived.
 */
export interface Position {
  readonly checkpoint: number;
  /** The beginnings of its parts' names: what stands in a part of the same name was seen. */
  readonly parts: string;
  readonly vector: Readonly<Record<string, number>>;
  /** Known, and not counted yet. */
  readonly aside: readonly Dot[];
}

export interface Changed {
  /** Where one is after all batches. What comes meanwhile is in the next answer. */
  readonly position: Position;
  /** How many batches there will be. */
  readonly steps: number;
  /** Targets with something new; each once in a batch, and seldom in several. Some are empty. */
  readonly batches: AsyncIterable<readonly string[]>;
}

/** Undefined since: everything there is. */
export function changedSince(core: Core, since: Position | undefined): Changed {
  const replica = core.replica();
  const isNew = since && newTo(since);
  const parts = changedParts(replica, since);
  const rest = newTargets(replica, since);
  return {
    position: positionOf(core),
    steps: parts.length + Math.ceil(rest.size / batchSize),
    batches: batchesOf(core, { isNew, parts, rest: [...rest] }),
  };
}

/**
 * In the order in which they came. A session's numbers have no gaps, so it is known how many are new
 * at most: they are looked for from the end on, and those before them are not looked at.
 */
function newTargets(replica: Replica, since: Position | undefined): ReadonlySet<string> {
  const isNew = newTo(since);
  const all = replica.since();
  let left = since && since.aside.length === 0 ? newCount(replica, since) : all.length;
  const found: string[] = [];
  for (let at = all.length - 1; at >= 0 && left > 0; at--) {
    const datagram = all[at]!;
    if (!isNew(datagram)) continue;
    found.push(datagram.target);
    left -= 1;
  }
  return new Set(found.reverse());
}

function newCount(replica: Replica, { vector }: Position): number {
  let count = 0;
  for (const [key, last] of replica.vector()) count += Math.max(0, last - (vector[key] ?? 0));
  return count;
}

export function positionOf(core: Core): Position {
  const replica = core.replica();
  const vector = new Map(replica.vector());
  // What is still on its way to the disk may fail, and then its number is given to another.
  const own = core.durable();
  if (own && own.number === 0) vector.delete(own.key);
  else if (own) vector.set(own.key, own.number);
  return {
    checkpoint: replica.base.number,
    parts: shortNames(replica),
    vector: Object.fromEntries(vector),
    aside: [...replica.aside().keys()],
  };
}

function changedParts(replica: Replica, since: Position | undefined): readonly number[] {
  const names = shortNames(replica);
  if (names === "" || since?.parts === names) return [];
  return Array.from({ length: partCount }, (_, index) => index).filter(
    (index) => !since || shortName(since.parts, index) !== shortName(names, index),
  );
}

async function* batchesOf(
  core: Core,
  {
    isNew,
    parts,
    rest,
  }: { isNew: IsNew | undefined; parts: readonly number[]; rest: readonly string[] },
): AsyncGenerator<readonly string[]> {
  for (const index of parts) {
    yield await core.steady(async (replica) =>
      changedIn(await replica.base.readPart(index), index, isNew),
    );
  }
  // Many are told by part: who reads them needs one part after the other, and each once.
  const told = rest.length > batchSize ? rest.toSorted((a, b) => partOf(a) - partOf(b)) : rest;
  for (let from = 0; from < told.length; from += batchSize) {
    yield told.slice(from, from + batchSize);
  }
}

const batchSize = 1_000;
type IsNew = (datagram: Datagram) => boolean;

function newTo(since: Position | undefined): IsNew {
  if (!since) return () => true;
  const aside = new Set(since.aside);
  return (datagram) =>
    datagram.number > (since.vector[sessionKey(datagram)] ?? 0) ||
    (aside.size > 0 && aside.has(dotOf(datagram)));
}

/** Without `isNew`, all of it is. */
function changedIn(
  text: string | undefined,
  index: number,
  isNew: IsNew | undefined,
): readonly string[] {
  if (text === undefined) return [];
  if (!isNew) return targetsOf(text, `part ${index}`);
  return [...decodePart(text, `part ${index}`)].flatMap(([target, fields]) =>
    hasNew(fields, isNew) ? [target] : [],
  );
}

function hasNew(fields: TargetState, isNew: IsNew): boolean {
  for (const { lanes, conflicts } of fields.values()) {
    if (lanes.some((entry) => entry && isNew(entry.datagram))) return true;
    if (conflicts.some(isNew)) return true;
  }
  return false;
}

const shortWidth = 8;
const shortNames = ({ base }: Replica): string =>
  base.partNames.map((name) => (name ?? "").slice(0, shortWidth).padEnd(shortWidth)).join("");
const shortName = (names: string, index: number): string =>
  names.slice(index * shortWidth, (index + 1) * shortWidth);
