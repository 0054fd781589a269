/**
 * Keeps discovery within a campaign's limit of companies, also inside one tile. Invariants:
 * - a place that the campaign already has does not count again, so a tile can be searched again;
 * - a process writes the batches of a campaign with a limit one after the other, so one process
 *   alone never exceeds the limit;
 * - near the limit all companies are counted again before each batch, and a batch takes an eighth
 *   of the remaining room, or one company: several processes exceed the limit by at most one
 *   company each.
 */
import type { Clock } from "../../base/clock.ts";
import { createSerial } from "../../base/serial.ts";
import type { Campaign } from "../campaign.ts";

/** The companies of a campaign, without excluded and filtered ones. */
export interface CountedCompanies {
  readonly count: number;
  /** The ids of the places that these companies come from. */
  readonly places: ReadonlySet<string>;
}

export interface CompanyCounts {
  /**
   * The exact count. It includes companies that other nodes have found and this node has not
   * received yet.
   */
  readonly counted: (campaign: Campaign) => Promise<CountedCompanies>;
  /** An upper bound of the count, at most the limit; cheap. */
  readonly companiesMax: (campaign: Campaign) => Promise<number>;
  readonly clock: Pick<Clock, "monotonicMs">;
}

export interface FoundPlace {
  readonly id: string;
  /** False if a filter rejects it, so that it does not count. */
  readonly isCounted: boolean;
}

export interface CompanyLimit {
  /**
   * Calls `put`, in one or more batches, with as many of the given companies as there is room for, in
   * order. Returns how many were written; fewer than given means that the limit is reached.
   */
  within<Found extends FoundPlace>(
    campaign: Campaign,
    found: readonly Found[],
    put: (some: readonly Found[]) => Promise<void>,
  ): Promise<number>;
}

/** With more room than this, a count from some batches ago is good enough. */
const farCompanies = 1_000;
const farMs = 10_000;
const nearPart = 8;

export function createCompanyLimit(counts: CompanyCounts): CompanyLimit {
  const { counted, companiesMax, clock } = counts;
  const serial = createSerial();
  const last = new Map<string, Counting>();
  async function count(campaign: Campaign): Promise<CountedCompanies> {
    const known = last.get(campaign.name);
    const isRecent = known !== undefined && clock.monotonicMs() - known.atMs < farMs;
    const room = (campaign.budget?.companies ?? 0) - (known?.count ?? 0) - (known?.written ?? 0);
    if (isRecent && room > farCompanies) return { ...known, count: known.count + known.written };
    const now = await counted(campaign);
    last.set(campaign.name, { ...now, atMs: clock.monotonicMs(), written: 0 });
    return now;
  }
  return {
    async within(campaign, found, put) {
      const { name } = campaign;
      const max = campaign.budget?.companies;
      if (max === undefined) return await noLimit.within(campaign, found, put);
      return await serial.run(async () => {
        const isFar = ((await companiesMax(campaign)) + found.length) * 2 < max;
        let at = 0;
        while (at < found.length) {
          const some = isFar ? found : fitting(found.slice(at), max, await count(campaign));
          if (some.length === 0) break;
          await put(some);
          const known = last.get(name);
          if (known) known.written += some.length;
          at += some.length;
        }
        return at;
      });
    },
  };
}

interface Counting extends CountedCompanies {
  readonly atMs: number;
  /** Companies that this process has added since the last count. */
  written: number;
}

/** Without a `companyLimit`, any number of companies. */
export const companyLimitOf = ({
  companyLimit = noLimit,
}: {
  readonly companyLimit?: CompanyLimit;
}): CompanyLimit => companyLimit;

const noLimit: CompanyLimit = {
  async within(_, found, put) {
    await put(found);
    return found.length;
  },
};

function fitting<Found extends FoundPlace>(
  found: readonly Found[],
  max: number,
  { count, places }: CountedCompanies,
): readonly Found[] {
  const room = max - count;
  const mayAdd = room > farCompanies ? room - farCompanies : Math.ceil(room / nearPart);
  let added = 0;
  const end = found.findIndex(({ id, isCounted }) => {
    if (!isCounted || places.has(id)) return false;
    added += 1;
    return added > Math.max(0, mayAdd);
  });
  return end < 0 ? found : found.slice(0, end);
}
