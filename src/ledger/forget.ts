import { createHash } from "node:crypto";
import type { Change } from "./changes.ts";
import type { Datagram } from "./datagram/datagram.ts";
import type { TargetState } from "./fold/part-state.ts";
import { decodePart } from "./fold/part-file.ts";
import { forgottenField, isForgotten, partOf } from "./fold/part-state.ts";
import type { Base } from "./replica/replica.ts";
import { visibleOf } from "./fold/lane.ts";
import { viewTarget, type TargetView } from "./view.ts";

/**
 * Forgetting a target hides it for good, whatever is written with whatever stamp, until it is
 * unforgotten. One commit says so in two places:
 * - `forgotten` on the target itself, which the fold obeys;
 * - the register: salted hashes of the keys that the target was known by. Hubs read there which
 *   targets to scrub from old logs; crawls and imports read there what to leave alone.
 */
export const forgetRegister = "system/forgotten";
const [targetPrefix, hashPrefix, saltPrefix] = ["target/", "hash/", "salt/"];

/** The keys of a target in other places: `domain:a.b`, `place:osm/1`, `email:x@y.z`. */
export function keysOf({ fields }: Pick<TargetView, "fields">): readonly string[] {
  return fields.flatMap(({ field, value }) => {
    if (field === "domain" || field === "place") return [`${field}:${String(value)}`];
    // `domain/b.c` and `place/osm/2` are further keys, of a company that several were merged into.
    const kind = /^(?:email|domain|place)(?=\/.)/.exec(field)?.[0];
    return kind === undefined ? [] : [`${kind}:${field.slice(kind.length + 1)}`];
  });
}

export const hashOf = (salt: string, key: string): string =>
  createHash("sha256").update(`${salt}\n${key.toLowerCase()}`).digest("hex");

interface ForgetPlan {
  /** What is shown of it; if it was forgotten before, what was written since then. */
  readonly view: Pick<TargetView, "target" | "fields">;
  readonly register: TargetView;
  /** Used if the register has no salt yet. */
  readonly newSalt: string;
  /** How it was forgotten before. */
  readonly earlier: Forgetting | undefined;
}

/** The value of `forgotten`. */
interface Forgetting {
  readonly hashes?: readonly string[];
  /** How often it was forgotten; absent: once. */
  readonly times?: number;
}

function forgettingOf(fields: TargetState): Forgetting {
  const cell = fields.get(forgottenField);
  const value = cell && visibleOf(cell)?.value;
  return value === undefined ? {} : (JSON.parse(value) as Forgetting);
}

/** How a target was forgotten, and what was written of it since; undefined if it is not forgotten. */
export function forgottenBefore(target: string, fields: TargetState | undefined) {
  if (!fields || !isForgotten(fields)) return undefined;
  const rest = new Map(fields);
  rest.delete(forgottenField);
  const hidden = viewTarget(target, rest);
  const isHiding = hidden.fields.length + hidden.conflicts.length > 0;
  return { forgetting: forgettingOf(fields), hidden, isHiding };
}

export function forgetChanges(plan: ForgetPlan): readonly Change[] {
  const { view, register, newSalt, earlier } = plan;
  const { target } = view;
  const salt = saltsOf(register)[0] ?? newSalt;
  // `place` and `place/osm/2` may name the same place.
  const found = keysOf(view).map((key) => hashOf(salt, key));
  const hashes = [...new Set([...(earlier?.hashes ?? []), ...found])];
  // A value that changes is written, with a later stamp: up to that stamp everything goes.
  const times = earlier === undefined ? undefined : (earlier.times ?? 1) + 1;
  return [
    { target, field: forgottenField, value: { hashes, ...(times !== undefined && { times }) } },
    saltChange(salt),
    { target: forgetRegister, field: `${targetPrefix}${target}`, value: times ?? true },
    ...hashes.map((hash) => ({
      target: forgetRegister,
      field: `${hashPrefix}${hash}`,
      value: true,
    })),
  ];
}

/** `fields` is the stored target; it says under which hashes it was forgotten. */
export function unforgetChanges(target: string, fields: TargetState): readonly Change[] {
  const { hashes = [] } = forgettingOf(fields);
  const gone = [`${targetPrefix}${target}`, ...hashes.map((hash) => `${hashPrefix}${hash}`)];
  return [
    { target, field: forgottenField, unset: true },
    ...gone.map((field) => ({ target: forgetRegister, field, unset: true as const })),
  ];
}

/** Whether something known by a key (`email:x@y.z`) was forgotten. */
export function isKeyForgotten(register: TargetView): (key: string) => boolean {
  const fields = new Set(register.fields.map(({ field }) => field));
  const salts = saltsOf(register);
  return (key) => salts.some((salt) => fields.has(`${hashPrefix}${hashOf(salt, key)}`));
}

export const saltChange = (salt: string): Change => ({
  target: forgetRegister,
  field: `${saltPrefix}${salt}`,
  value: true,
});

export const saltsOf = ({ fields }: TargetView): readonly string[] =>
  fields.flatMap(({ field }) =>
    field.startsWith(saltPrefix) ? [field.slice(saltPrefix.length)] : [],
  );

/** By target: its datagrams up to this stamp are to be scrubbed. */
export type Floors = ReadonlyMap<string, string>;

export function floorsOf(register: TargetState | undefined): Floors {
  const floors = new Map<string, string>();
  for (const [field, cell] of register ?? []) {
    const write = field.startsWith(targetPrefix) ? visibleOf(cell) : undefined;
    if (write) floors.set(field.slice(targetPrefix.length), write.stamp);
  }
  return floors;
}

/** How many datagrams of forgotten targets a checkpoint still holds. */
export async function countInCheckpoint(base: Base, floors: Floors): Promise<number> {
  let count = 0;
  for (const index of new Set([...floors.keys()].map(partOf))) {
    const text = await base.readPart(index);
    if (text === undefined) continue;
    for (const [target, fields] of decodePart(text, `part ${index}`)) {
      if (!floors.has(target)) continue;
      for (const [field, { lanes, conflicts }] of fields)
        if (field !== forgottenField) count += conflicts.length + lanes.filter(Boolean).length;
    }
  }
  return count;
}

const scrubbedField = "scrubbed";

export const isScrubbed = ({ field, value }: Datagram): boolean =>
  field === scrubbedField && value === undefined;

/**
 * Whether a datagram is of something forgotten and has content. Those that were written after the
 * forgetting, by a node that did not know of it yet, are hidden and go when it is forgotten again.
 */
export const isOfForgotten = (floors: Floors, datagram: Datagram): boolean =>
  floors.has(datagram.target) && datagram.field !== forgottenField && !isScrubbed(datagram);

/** Whether a datagram is to lose its content now. The tombstones themselves stay. */
export function isToScrub(floors: Floors, datagram: Datagram): boolean {
  const floor = floors.get(datagram.target);
  return floor !== undefined && datagram.stamp <= floor && isOfForgotten(floors, datagram);
}

/**
 * The same datagram without content. Its number and stamp stay, so the log has no gap. The fold
 * drops it with or without its content, so replicas agree whichever form they have.
 */
export const scrub = (datagram: Datagram): Datagram => ({
  ...datagram,
  field: scrubbedField,
  value: undefined,
  source: "system",
  causality: "",
});
