import type { Change } from "./changes.ts";
import { forgetRegister, hashOf, isKeyForgotten, saltChange, saltsOf } from "./forget.ts";
import { visibleOf } from "./fold/lane.ts";
import { readTargets } from "./replica/read-target.ts";
import type { Replica } from "./replica/replica.ts";
import type { TargetView } from "./view.ts";

/**
 * The suppression list: companies and people to leave alone. An entry is a salted hash of a key,
 * `email:x@y.z`, `domain:a.b`, `phone:+49…` or `place:osm/node/1`, so the list does not reveal who
 * is on it. Entries are spread over 256 targets by the first byte of their hash, so that a list of
 * 100,000 stays fast to read and to extend. The salts are those of the register of forgotten
 * targets.
 */
export const suppressionTargets: readonly string[] = Array.from(
  { length: 256 },
  (_, at) => `system/suppressed-${at.toString(16).padStart(2, "0")}`,
);

const hashPrefix = "hash/";

const targetOf = (hash: string): string =>
  suppressionTargets[Number.parseInt(hash.slice(0, 2), 16)]!;

export interface SuppressionEntry {
  /** The hash of its key. */
  readonly hash: string;
  readonly value: unknown;
  readonly source: string;
  readonly stamp: string;
}

/** The entries in one of the targets. */
export const suppressionEntries = ({ fields }: TargetView): readonly SuppressionEntry[] =>
  fields.flatMap(({ field, value, source, stamp }) =>
    field.startsWith(hashPrefix)
      ? [{ hash: field.slice(hashPrefix.length), value, source, stamp }]
      : [],
  );

/** `newSalt` is used if the register has no salt yet. */
export function suppressChanges(
  register: TargetView,
  { keys, value, newSalt }: { keys: readonly string[]; value: unknown; newSalt: string },
): readonly Change[] {
  const salt = saltsOf(register)[0] ?? newSalt;
  const entries = [...new Set(keys.map((key) => hashOf(salt, key)))].map((hash) => ({
    target: targetOf(hash),
    field: `${hashPrefix}${hash}`,
    value,
  }));
  return entries.length === 0 ? [] : [saltChange(salt), ...entries];
}

/** Removes the keys under every salt. Keys that are not listed are ignored. */
export const unsuppressChanges = (
  register: TargetView,
  keys: readonly string[],
): readonly Change[] =>
  [...new Set(keys)].flatMap((key) =>
    saltsOf(register).map((salt) => {
      const hash = hashOf(salt, key);
      return { target: targetOf(hash), field: `${hashPrefix}${hash}`, unset: true as const };
    }),
  );

/**
 * Which of these keys are listed, or were forgotten. An entry for a domain also covers its
 * addresses and its subdomains.
 */
export async function findSuppressed(
  replica: Replica,
  keys: readonly string[],
): Promise<readonly string[]> {
  const [register] = await readTargets(replica, [forgetRegister]);
  const salts = saltsOf(register!);
  if (salts.length === 0 || keys.length === 0) return [];
  const wanted = new Map(
    keys.map((key) => [
      key,
      widerKeys(key).flatMap((one) => salts.map((salt) => hashOf(salt, one))),
    ]),
  );
  const listed = await listedAmong(replica, new Set([...wanted.values()].flat()));
  const isForgotten = isKeyForgotten(register!);
  return [...wanted].flatMap(([key, hashes]) =>
    hashes.some((hash) => listed.has(hash)) || isForgotten(key) ? [key] : [],
  );
}

/** Reads only the entries of these hashes: with a long list, a target has hundreds. */
async function listedAmong(
  replica: Replica,
  hashes: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const byTarget = new Map<string, string[]>();
  for (const hash of hashes) {
    const target = targetOf(hash);
    const others = byTarget.get(target);
    if (others) others.push(hash);
    else byTarget.set(target, [hash]);
  }
  const listed = new Set<string>();
  if (!replica.isSettled()) await replica.settle();
  for (const [target, some] of byTarget) {
    const names = replica.fieldsWithin(target, some.map((hash) => `${hashPrefix}${hash}`)); // prettier-ignore
    if (names.length === 0) continue;
    await replica.withTargets([target], (fieldsOf) => {
      const fields = fieldsOf(target);
      for (const name of names) {
        const cell = fields?.get(name);
        if (cell && visibleOf(cell) !== undefined) listed.add(name.slice(hashPrefix.length));
      }
    });
  }
  return listed;
}

const labelsMax = 20;

/**
 * The key and all keys that include it: `email:x@mail.a.b` is also `domain:mail.a.b` and
 * `domain:a.b`.
 */
function widerKeys(key: string): readonly string[] {
  const name = key.startsWith("domain:")
    ? key.slice("domain:".length)
    : key.startsWith("email:")
      ? key.slice(key.lastIndexOf("@") + 1)
      : undefined;
  if (name === undefined) return [key];
  const labels = name.split(".").slice(-labelsMax);
  const domains = labels.slice(0, -1).map((_, at) => `domain:${labels.slice(at).join(".")}`);
  return key.startsWith("email:") ? [key, ...domains] : domains.length > 0 ? domains : [key];
}
