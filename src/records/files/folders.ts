import { idOf } from "../fields/company.ts";
import { layoutOf } from "./layout.ts";
import type { RecordIndex } from "../search/record-index.ts";
import type { RecordKind } from "../records.ts";
import { foldersFor } from "./slug.ts";

export interface FolderChoice {
  readonly slug: string;
  /** The record that has the folder now and must give it up, because its id is greater. */
  readonly displaced: string | undefined;
}

export interface FolderWish {
  readonly kind: RecordKind;
  readonly target: string;
  readonly slugWanted: string;
}

/**
 * Chooses the folder of a record. Of all records that prefer a name, the one with the smallest id
 * gets it, and the others add a part of their id: so nodes that know the same records choose the
 * same names.
 */
export function chooseFolder(
  index: Pick<RecordIndex, "wanting" | "bySlug" | "find">,
  { kind, target, slugWanted }: FolderWish,
): FolderChoice {
  const rivals = index.wanting(kind, slugWanted).filter((one) => one !== target);
  const isFirst = rivals.every((one) => target < one);
  if (isFirst) {
    const holder = holderOf(index, kind, slugWanted);
    const isFree = holder === undefined || holder === target;
    if (isFree || rivals.includes(holder)) {
      return { slug: slugWanted, displaced: isFree ? undefined : holder };
    }
  }
  // Computed only if needed, because hashing ids costs more than everything else here.
  const longer = foldersFor(slugWanted, idOf(target));
  const free = longer.find((slug) => {
    const holder = holderOf(index, kind, slug);
    return holder === undefined || holder === target;
  });
  return { slug: free ?? longer.at(-1)!, displaced: undefined };
}

/** The record that has the folder now; a record with only an alias gives way. */
function holderOf(
  index: Pick<RecordIndex, "bySlug" | "find">,
  kind: RecordKind,
  slug: string,
): string | undefined {
  const target = index.bySlug(kind, slug);
  const found = target === undefined ? undefined : index.find(target);
  if (!found) return undefined;
  return (found.kind === "company" ? found.company : found.person).slug === slug
    ? target
    : undefined;
}

export const folderOf = (kind: RecordKind, slug: string): string =>
  `${layoutOf(kind).folder}/${slug}`;
