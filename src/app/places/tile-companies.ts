import type { Clock } from "../../base/clock.ts";
import type { ClosingServices, TileCompany } from "../../campaign/index.ts";
import type { NodeRecords } from "../../node/index.ts";
import { isClosed, placesOf } from "../../records/index.ts";
import { allCompanies } from "../campaign/all-companies.ts";

export interface TileCompaniesOptions {
  readonly records: Pick<NodeRecords, "search" | "write">;
  readonly clock: Clock;
}

/** Companies are cached this long, because one release is searched tile by tile. */
const keptMs = 600_000;

/** Companies by the tile in which they were found. */
export function createTileCompanies({ records, clock }: TileCompaniesOptions): ClosingServices {
  let kept: { readonly atMs: number; readonly tiles: Map<string, TileCompany[]> } | undefined;
  const asked = new Set<string>();
  async function read(): Promise<Map<string, TileCompany[]>> {
    const tiles = new Map<string, TileCompany[]>();
    for await (const page of allCompanies(records)) {
      for (const company of page) {
        const places = placesOf(company);
        const { target, foundBy = [] } = company;
        if (places.length === 0) continue;
        for (const tile of new Set(foundBy.map((one) => one.tile))) {
          const found = foundBy.filter((one) => one.tile === tile);
          const hasStatus = company.texts.status !== undefined;
          const one = { target, places, found, isClosed: isClosed(company), hasStatus };
          const others = tiles.get(tile);
          if (others) others.push(one);
          else tiles.set(tile, [one]);
        }
      }
    }
    return tiles;
  }
  return {
    async companiesIn(tile) {
      const isOld = kept === undefined || clock.monotonicMs() - kept.atMs >= keptMs;
      // A tile that is requested again has changed since.
      if (isOld || asked.has(tile)) {
        kept = { atMs: clock.monotonicMs(), tiles: await read() };
        asked.clear();
      }
      asked.add(tile);
      return kept?.tiles.get(tile) ?? [];
    },
    write: (commit) => records.write(commit),
  };
}
