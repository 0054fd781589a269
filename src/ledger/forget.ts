import { createHash } from "node:crypto";
import type { Change } from "./changes.ts";
import { forgottenField, isForgotten, type TargetState } from "./fold/part-state.ts";
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

/** By target: when it was forgotten. */
export function forgottenTargets(register: TargetState | undefined): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const [field, cell] of register ?? []) {
    const write = field.startsWith(targetPrefix) ? visibleOf(cell) : undefined;
    if (write) targets.set(field.slice(targetPrefix.length), write.stamp);
  }
  return targets;
}
