import type { Indexed, IndexReplacement } from "./record-index.ts";

/**
 * Which target gets a folder name, by `kind/name`; computed before an empty index is filled.
 * Without it, the first record that is rendered would get the name, overwrite the file of another
 * record, and lose the format that a user gave to that file.
 */
export interface FolderWinners {
  readonly winners: ReadonlyMap<string, string>;
  /** Names that several records prefer. */
  readonly contested: ReadonlySet<string>;
}

/**
 * What was put into a new index since its fill began. It answers most lookups during the fill, so
 * that the index need not be read.
 */
export interface InitialFill {
  readonly wishes: FolderWinners;
  readonly replacement: IndexReplacement;
  has(target: string): boolean;
  /** Like `RecordLookup.bySlug`. */
  bySlug(kind: Indexed["kind"], slug: string): string | undefined;
  put(indexed: Indexed): void;
  drop(target: string): void;
}

export function createInitialFill(
  wishes: FolderWinners,
  replacement: IndexReplacement,
): InitialFill {
  /** Target → its folders: the first is its own, the others are aliases. */
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
    replacement,
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
