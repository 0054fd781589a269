import { AppError } from "../../base/app-error.ts";
import type { Queue } from "../../queue/index.ts";
import type { Campaign } from "../campaign.ts";

/**
 * Above the first number of tiles an extract is faster; above the second the requests would abuse a
 * shared server.
 */
const tilesAdvisedMax = 500;
const tilesAllowedMax = 5_000;

/**
 * Advice about the number of requests that a campaign needs; undefined if it is small. Volunteers
 * run the public servers: their rules allow about 10,000 requests a day and ask heavy users to
 * download an extract.
 */
export function overpassAdvice(
  tiles: number,
  { isForced }: { readonly isForced: boolean },
): string | undefined {
  if (tiles <= tilesAdvisedMax) return undefined;
  const instead = "take an extract instead: forager places import FILE.osm.pbf --area CAMPAIGN";
  if (tiles > tilesAllowedMax && !isForced) {
    throw new AppError(
      "invalid",
      "campaign_overpass_size",
      `${tiles} tiles would be requested from the Overpass server; at most ${tilesAllowedMax} are allowed; ` +
        `${instead}, or add --force if the server is your own`,
    );
  }
  return `${tiles} tiles are a lot for an Overpass server: ${instead}`;
}

/** The gate in the queue: all requests of all nodes to one server go through it. */
export const overpassGate = (url: string): string => new URL(url).host;

/** Gives the server's gate the delay of the campaign; never makes it faster. */
export async function openOverpassGate(
  queue: Pick<Queue, "gate" | "setGate">,
  { overpass }: Pick<Campaign, "overpass">,
): Promise<void> {
  if (!overpass) return;
  const name = overpassGate(overpass.url);
  const known = await queue.gate(name);
  const delayMs = Math.max(known?.delayMs ?? 0, overpass.delayMs);
  if (known?.limit !== 1 || known.delayMs < delayMs) await queue.setGate(name, { delayMs, limit: 1 }); // prettier-ignore
}
