import type { Indexed } from "./record-index.ts";

/**
 * Who will have a folder's name in the end, by kind and name, told before an empty index is filled.
 * Else whoever comes first would get it, write over the file of the other, and lose the shape a
 * hand gave it.
 */
export interface Wishes {
  readonly winners: ReadonlyMap<string, string>;
  /** Those that several want. */
  readonly contested: ReadonlySet<string>;
}

/**
 * What an index holds that was empty a moment ago: all of it came through here. So most questions
 * that are asked for each record are answered without asking the index.
 */
export interface Filling {
  readonly wishes: Wishes;
  has(target: string): boolean;
  /** As `RecordIndex.bySlug`. */
  bySlug(kind: Indexed["kind"], slug: string): string | undefined;
  put(indexed: Indexed): void;
  drop(target: string): void;
}

export function createFilling(wishes: Wishes): Filling {
  /** Target → its folders: the first one is its own, the others lead there. */
  const folders = new Map<string, readonly string[]>();
  const owners = new Map<string, string>();
  const aliases = new Map<string, Set<string>>();

  const drop = (target: string) => {
    const [own, ...others] = folders.get(target) ?? [];
    if (own !== undefined && owners.get(own) === target) owners.delete(own);
    for (const alias of others) aliases.get(alias)?.delete(target);
    folders.delete(target);
  };
  return {
    wishes,
    has: (target) => folders.has(target),
    bySlug(kind, slug) {
      const name = `${kind}/${slug}`;
      const others = aliases.get(name);
      return owners.get(name) ?? (others && [...others].sort()[0]);
    },
    put(indexed) {
      const record = indexed.kind === "company" ? indexed.company : indexed.person;
      const { target } = record;
      drop(target);
      const [own, ...others] = [record.slug, ...record.aliases].map((slug) => {
        return `${indexed.kind}/${slug}`;
      }) as [string, ...string[]];
      folders.set(target, [own, ...others]);
      owners.set(own, target);
      for (const alias of others) {
        aliases.set(alias, (aliases.get(alias) ?? new Set()).add(target));
      }
    },
    drop,
  };
}
