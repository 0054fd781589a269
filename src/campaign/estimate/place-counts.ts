import type { Ledger } from "../../ledger/index.ts";
import type { Place } from "../../sources/index.ts";
import type { Campaign } from "../campaign.ts";
import type { CompanyFacts } from "../places/company-fields.ts";
import { gateOf } from "../enrich/visit-task.ts";
import { exclusionOf } from "../places/exclusions.ts";
import { filterOfPlace } from "../places/filters.ts";
import { placeKeys } from "../places/suppressed-places.ts";

/** How many places, companies and visits will result, by the same rules as `discover`. */
export interface PlaceCounts {
  readonly companies: number;
  readonly websites: number;
  /** The highest number of websites on one host: they are visited one after the other. */
  readonly websitesOfOneHost: number;
  readonly excluded: number;
  readonly filtered: number;
  /** On the suppression list or forgotten. */
  readonly suppressed: number;
}

export interface PlaceCounter {
  add(place: Place, facts: CompanyFacts): void;
  result(ledger: Pick<Ledger, "suppressed">): Promise<PlaceCounts>;
}

const keysAtOnce = 2_000;

/** Each place counts once, even if several sources or phrases have it. */
export function createPlaceCounter({
  exclusions,
  filters,
}: Pick<Campaign, "exclusions" | "filters">): PlaceCounter {
  const seen = new Set<string>();
  const rest: { readonly keys: readonly string[]; readonly host: string | undefined; readonly isFiltered: boolean }[] = []; // prettier-ignore
  let excluded = 0;
  return {
    add(place, facts) {
      if (seen.has(place.id)) return;
      seen.add(place.id);
      const { id, name } = place;
      const { domain, website } = facts;
      if (exclusionOf(exclusions, { id, name, domain })) excluded += 1;
      else {
        const isFiltered = filterOfPlace(filters, place, facts) !== undefined;
        const host = website === undefined ? undefined : gateOf(website);
        rest.push({ keys: placeKeys(id, domain), host, isFiltered });
      }
    },
    async result(ledger) {
      const counts = { companies: 0, websites: 0, filtered: 0, suppressed: 0 };
      const hosts = new Map<string, number>();
      for (let from = 0; from < rest.length; from += keysAtOnce) {
        const some = rest.slice(from, from + keysAtOnce);
        const listed = new Set(await ledger.suppressed(some.flatMap(({ keys }) => keys)));
        for (const { keys, host, isFiltered } of some) {
          if (keys.some((key) => listed.has(key))) counts.suppressed += 1;
          else if (isFiltered) counts.filtered += 1;
          else {
            counts.companies += 1;
            if (host === undefined) continue;
            counts.websites += 1;
            hosts.set(host, (hosts.get(host) ?? 0) + 1);
          }
        }
      }
      const websitesOfOneHost = [...hosts.values()].reduce((a, b) => Math.max(a, b), 0);
      return { ...counts, excluded, websitesOfOneHost };
    },
  };
}
