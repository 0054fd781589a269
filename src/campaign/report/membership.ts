import type { Company, FoundBy } from "../../records/index.ts";
import type { Campaign } from "../campaign.ts";
import { exclusionOf } from "../exclusions.ts";
import { filterOfCompany } from "../filters.ts";
import { planTiles } from "../plan.ts";

/** Which companies belong to a campaign, and by which of its questions they were found. */
export interface Membership {
  /** Empty: it is not one of the campaign's. */
  findsOf(company: Pick<Company, "foundBy">): readonly FoundBy[];
  has(company: Pick<Company, "foundBy">): boolean;
  /** The filter of the campaign that rejects it; undefined: none does. */
  filterOf(company: Company): string | undefined;
  /** Whether the campaign or a person has excluded it. */
  isExcluded(company: Pick<Company, "excluded" | "name" | "texts">): boolean;
}

/**
 * A company belongs to each campaign that has its tile and phrase, whichever of them asked: the
 * others did not ask again. What the file of a campaign has belongs to that campaign alone. One that a campaign found stays its own when the plan becomes smaller.
 */
export function membershipOf(
  campaign: Pick<Campaign, "name" | "phrases" | "locations" | "exclusions" | "filters">,
): Membership {
  const tiles = new Set(planTiles(campaign).map(({ tile }) => tile.id));
  const phrases = new Set(campaign.phrases);
  const isOwn = (one: FoundBy) =>
    one.campaign === campaign.name ||
    (one.file === undefined && phrases.has(one.phrase) && tiles.has(one.tile));
  const { exclusions } = campaign;
  const hasExclusions = Object.values(exclusions).some(
    (list: readonly string[]) => list.length > 0,
  );
  return {
    findsOf: ({ foundBy = [] }) => foundBy.filter(isOwn),
    has: ({ foundBy = [] }) => foundBy.some(isOwn),
    filterOf(company) {
      const asked = (company.foundBy ?? []).filter((one) => one.campaign === campaign.name);
      if (asked.length === 0) return filterOfCompany(campaign.filters, company);
      return asked.every(({ filtered }) => filtered !== undefined) ? asked[0]!.filtered : undefined;
    },
    isExcluded({ excluded, name, texts: { place, domain } }) {
      if (excluded !== undefined) return true;
      return (
        hasExclusions && exclusionOf(exclusions, { id: place ?? "", name, domain }) !== undefined
      );
    },
  };
}
