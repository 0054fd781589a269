import type { Company, FoundBy } from "../../records/index.ts";
import type { Campaign } from "../campaign.ts";
import { exclusionOf } from "../places/exclusions.ts";
import { filterOfCompany } from "../places/filters.ts";
import { planTiles } from "../plan.ts";

/** Decides which companies belong to a campaign, and which of its questions found them. */
export interface Membership {
  /** Empty if the company does not belong to the campaign. */
  findsOf(company: Pick<Company, "foundBy">): readonly FoundBy[];
  has(company: Pick<Company, "foundBy">): boolean;
  /** The filter of the campaign that rejects it; undefined if none does. */
  filterOf(company: Company): string | undefined;
  /** Whether the campaign or a person has excluded it. */
  isExcluded(company: Pick<Company, "excluded" | "name" | "texts">): boolean;
}

/**
 * A company belongs to every campaign that has its tile and phrase, even if another campaign
 * searched it, because a search is not repeated for each campaign. A company from a campaign's own
 * file belongs only to that campaign. A campaign keeps the companies that it found when its plan
 * becomes smaller.
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
