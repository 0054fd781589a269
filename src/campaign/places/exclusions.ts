import { normalDomain } from "../../records/index.ts";
import type { Exclusions } from "../campaign.ts";

/** Why a place is excluded; undefined if it is not. */
export function exclusionOf(
  { domains, names, places }: Exclusions,
  found: { readonly id: string; readonly name: string; readonly domain: string | undefined },
): string | undefined {
  if (places.includes(found.id)) return `place ${found.id} is excluded`;
  if (names.some((name) => folded(name) === folded(found.name))) {
    return `the name ${found.name} is excluded`;
  }
  const { domain } = found;
  const isUnder = (excluded: string) => {
    const host = normalDomain(excluded);
    return domain === host || domain?.endsWith(`.${host}`);
  };
  return domains.some(isUnder) ? `the domain ${domain} is excluded` : undefined;
}

const folded = (name: string) => name.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase();
