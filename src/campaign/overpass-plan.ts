import { AppError } from "../base/app-error.ts";
import type { Queue } from "../queue/index.ts";
import type { Campaign } from "./campaign.ts";

/** Above this many tiles an extract is faster for everybody; so many more are an abuse of a shared server. */
const tilesAdvisedMax = 500;
const tilesAllowedMax = 5_000;

/**
 * What to tell about the requests that a campaign needs; undefined: nothing. Public servers are run by
 * volunteers: their rules name about 10,000 requests a day and ask heavy users to take an extract.
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
      `${tiles} tiles would be asked of the Overpass server, and more than ${tilesAllowedMax} are refused; ` +
        `${instead}, or add --force if the server is your own`,
    );
  }
  return `${tiles} tiles are a lot for an Overpass server: ${instead}`;
}

/** Of the queue: all requests to one server go through it, from whichever node. */
export const overpassGate = (url: string): string => new URL(url).host;

/** Makes the server's gate as slow as the campaign wants it, and never faster than it is. */
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
