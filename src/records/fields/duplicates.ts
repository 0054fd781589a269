import { idOf, type Company } from "./company.ts";
import { isIdOfOwnList } from "./places.ts";
import { keyOf } from "../search/name-keys.ts";
import type { RecordIndex } from "../search/record-index.ts";
import type { Duplicate } from "../records.ts";

/**
 * A key by which companies without a common domain may be duplicates; undefined without an address.
 */
export function nameAndAddress({ name, texts }: Pick<Company, "name" | "texts">) {
  const parts = texts.address ?? [texts.street, texts.zip, texts.city].filter(Boolean).join(" ");
  const address = keyOf(parts);
  return address === "" ? undefined : { name: keyOf(name), address };
}

/**
 * Returns candidates: branches share a domain, so users decide. Leaves out companies marked as
 * distinct.
 */
export function findDuplicates(
  index: Pick<RecordIndex, "find" | "byDomain" | "byPlace" | "byNameAndAddress">,
  company: Company,
): readonly Duplicate[] {
  const { domain, place } = company.texts;
  const key = nameAndAddress(company);
  const found = new Map<string, Duplicate["because"]>();
  const add = (targets: readonly string[], because: Duplicate["because"]) => {
    for (const one of targets)
      if (one !== company.target && !found.has(one)) found.set(one, because);
  };
  if (place !== undefined && !isIdOfOwnList(place)) add(index.byPlace(place), "place");
  if (domain !== undefined) add(index.byDomain(domain), "domain");
  if (key) add(index.byNameAndAddress(key), "name and address");
  return [...found].flatMap(([target, because]): Duplicate[] => {
    const other = index.find(target);
    if (other?.kind !== "company" || company.distinctFrom?.includes(idOf(target))) return [];
    return [{ target, slug: other.company.slug, name: other.company.name, because }];
  });
}
