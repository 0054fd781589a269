import type { Place } from "../../sources/index.ts";
import type { Campaign } from "../campaign.ts";
import type { CompanyFacts } from "../company-fields.ts";
import { gateOf } from "../enrich/visit-task.ts";
import { exclusionOf } from "../exclusions.ts";
import { filterOfPlace } from "../filters.ts";

/** What the places that some phrase finds will become, by the rules that `discover` uses. */
export interface PlaceCounts {
  readonly companies: number;
  readonly websites: number;
  /** Most websites that one host has: they are visited one after the other. */
  readonly websitesOfOneHost: number;
  readonly excluded: number;
  readonly filtered: number;
}

export interface PlaceCounter {
  add(place: Place, facts: CompanyFacts): void;
  result(): PlaceCounts;
}

/** Each place counts once, however many sources or phrases have it. */
export function createPlaceCounter({
  exclusions,
  filters,
}: Pick<Campaign, "exclusions" | "filters">): PlaceCounter {
  const seen = new Set<string>();
  const hosts = new Map<string, number>();
  const counts = { companies: 0, websites: 0, websitesOfOneHost: 0, excluded: 0, filtered: 0 };
  return {
    add(place, facts) {
      if (seen.has(place.id)) return;
      seen.add(place.id);
      const { id, name } = place;
      if (exclusionOf(exclusions, { id, name, domain: facts.domain })) counts.excluded += 1;
      else if (filterOfPlace(filters, place, facts)) counts.filtered += 1;
      else {
        counts.companies += 1;
        if (facts.website === undefined) return;
        counts.websites += 1;
        const host = gateOf(facts.website);
        const ofHost = (hosts.get(host) ?? 0) + 1;
        hosts.set(host, ofHost);
        counts.websitesOfOneHost = Math.max(counts.websitesOfOneHost, ofHost);
      }
    },
    result: () => ({ ...counts }),
  };
}
