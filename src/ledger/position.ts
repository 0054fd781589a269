import type { Core } from "./core.ts";
import { dotOf, type Datagram, type Dot } from "./datagram/datagram.ts";
import { decodePart } from "./fold/part-file.ts";
import { partCount, partOf, type TargetState } from "./fold/part-state.ts";
import { lastKnown, sessionKey } from "./fold/vector.ts";
import { isJournalDamaged } from "./journal/journal-file.ts";
import { countRanges } from "./journal/journal-reader.ts";
import type { Replica } from "./replica/replica.ts";

/**
 * How far a consumer of the ledger has come: plain JSON, to be saved and passed back. It says which
 * durable datagrams were known; it does not depend on the order in which they arrived.
 */
export interface LedgerPosition {
  readonly checkpoint: number;
  /** Prefixes of the names of the checkpoint's parts: a part with the same name was seen. */
  readonly parts: string;
  readonly vector: Readonly<Record<string, number>>;
  /** Known, and held back. */
  readonly aside: readonly Dot[];
}

export interface ChangedTargets {
  /** The position after all batches. Later changes are in the next answer. */
  readonly position: LedgerPosition;
  /** How many batches there will be. */
  readonly steps: number;
  /** Targets with changes; each once in a batch, and seldom in several. Some have no content. */
  readonly batches: AsyncIterable<readonly string[]>;
}

/** If `since` is undefined, all targets. */
export async function changedSince(
  core: Core,
  since: LedgerPosition | undefined,
): Promise<ChangedTargets> {
  const replica = core.replica();
  const position = positionOf(core);
  const found = since && (await newTargets(core, since, position).catch(ifDamaged));
  if (since && found) {
    const parts = changedParts(replica, since);
    return {
      position,
      steps: parts.length + Math.ceil(found.size / batchSize),
      batches: batchesOf(core, { since, parts, rest: [...found] }),
    };
  }
  return { position, steps: partCount, batches: allParts(core, since) };
}

/** The state has its content; the next sync repairs the file. */
const ifDamaged = (error: unknown): undefined => {
  if (!isJournalDamaged(error)) throw error;
};

/** If more targets are new, all stored targets are checked part by part, to limit memory. */
const newMax = 20_000;

/**
 * In the order of their sessions. Undefined: there are too many, or the journals no longer have
 * them.
 */
async function newTargets(
  core: Core,
  since: LedgerPosition,
  now: LedgerPosition,
): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  const { base } = core.replica();
  const ranges = Object.entries(now.vector).flatMap(([key, to]) => {
    const from = Math.max(since.vector[key] ?? 0, lastKnown(base.vector, key)) + 1;
    return from <= to ? [{ key, from, to }] : [];
  });
  if (countRanges(ranges) > newMax) return undefined;
  for (const dot of since.aside) {
    const at = dot.lastIndexOf("/");
    const [key, number] = [dot.slice(0, at), Number(dot.slice(at + 1))];
    if (number > lastKnown(base.vector, key)) ranges.push({ key, from: number, to: number });
  }
  for (const { key, from, to } of ranges) {
    let next = from;
    for await (const some of core.journal().read({ key, from, to })) {
      for (const { target } of some) found.add(target);
      next = some.at(-1)!.number + 1;
    }
    if (next <= to) return undefined;
  }
  return found;
}

/** Stored targets that changed since then, part by part. */
async function* allParts(
  core: Core,
  since: LedgerPosition | undefined,
): AsyncGenerator<readonly string[]> {
  const isNew = since && newTo(since);
  for (let index = 0; index < partCount; index++) {
    const targets = await core.steady((replica) => replica.targetsOf(index));
    for (let from = 0; from === 0 || from < targets.length; from += batchSize) {
      const some = targets.slice(from, from + batchSize);
      yield isNew
        ? await core.steady((replica) =>
            replica.withTargets(some, (fieldsOf) =>
              some.filter((target) => hasNew(fieldsOf(target) ?? new Map(), isNew)),
            ),
          )
        : some;
    }
  }
}

export function positionOf(core: Core): LedgerPosition {
  const replica = core.replica();
  const vector = new Map(replica.vector());
  // A write that is still going to disk may fail, and then its number is given to another.
  const own = core.durable();
  if (own && own.number === 0) vector.delete(own.key);
  else if (own) vector.set(own.key, own.number);
  return {
    checkpoint: replica.base.number,
    parts: shortNames(replica),
    vector: Object.fromEntries(vector),
    aside: [...replica.heldBack().keys()],
  };
}

function changedParts(replica: Replica, since: LedgerPosition): readonly number[] {
  const names = shortNames(replica);
  if (names === "" || since.parts === names) return [];
  return Array.from({ length: partCount }, (_, index) => index).filter(
    (index) => shortName(since.parts, index) !== shortName(names, index),
  );
}

interface NewSince {
  readonly since: LedgerPosition;
  readonly parts: readonly number[];
  readonly rest: readonly string[];
}

async function* batchesOf(
  core: Core,
  { since, parts, rest }: NewSince,
): AsyncGenerator<readonly string[]> {
  const isNew = newTo(since);
  for (const index of parts) {
    yield await core.steady(async (replica) =>
      changedIn(await replica.base.readPart(index), index, isNew),
    );
  }
  // If there are many, order them by part: a reader then finds neighbours together.
  const ordered = rest.length > batchSize ? rest.toSorted((a, b) => partOf(a) - partOf(b)) : rest;
  for (let from = 0; from < ordered.length; from += batchSize) {
    yield ordered.slice(from, from + batchSize);
  }
}

const batchSize = 1_000;
type IsNew = (datagram: Datagram) => boolean;

function newTo(since: LedgerPosition): IsNew {
  const heldBack = new Set(since.aside);
  return (datagram) =>
    datagram.number > (since.vector[sessionKey(datagram)] ?? 0) ||
    (heldBack.size > 0 && heldBack.has(dotOf(datagram)));
}

function changedIn(text: string | undefined, index: number, isNew: IsNew): readonly string[] {
  if (text === undefined) return [];
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
