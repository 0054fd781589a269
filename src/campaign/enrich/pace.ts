import { hostDelay, originOf, type HostDelay, type Visit } from "../../crawl/index.ts";
import type { Bounds } from "../../worker/index.ts";
import type { Campaign } from "../campaign.ts";
import type { EnrichServices } from "./services.ts";

export interface VisitPace extends HostDelay {
  readonly limit: number;
}

/**
 * The delay and limit for a host: those of the campaign or the settings, but never faster than the
 * host asks for.
 */
export function paceOf(
  { crawl }: Pick<EnrichServices, "crawl">,
  { campaign, visit, url }: { campaign: Campaign | undefined; visit?: Visit; url: string },
): VisitPace {
  const note = visit?.robotsByOrigin[originOf(url)];
  const crawlDelayMs =
    note === undefined || note === "asked" ? undefined : note.robots.crawlDelayMs;
  const { delayMs = crawl.delayMs, concurrency = 1 } = campaign?.politeness ?? {};
  return { ...hostDelay({ configuredMs: delayMs, crawlDelayMs }), limit: concurrency };
}

/** Slows a gate down before the first request goes through it. Never makes a gate faster. */
export async function setPace(
  { sites }: Pick<EnrichServices, "sites">,
  gate: string,
  { delayMs, limit }: Pick<VisitPace, "delayMs" | "limit">,
): Promise<void> {
  const known = await sites.get(gate);
  if (known && known.delayMs >= delayMs) return;
  await sites.set(gate, { delayMs, ...(known ? {} : { limit }) });
}

const ceilingMs = 60_000;
const gatesMax = 10_000;

/** Remembers the minimum delay that each host asked for last. It may forget entries. */
export function createFloors() {
  const floors = new Map<string, number>();
  return {
    note(gate: string, delayMs: number): void {
      floors.delete(gate);
      floors.set(gate, delayMs);
      if (floors.size > gatesMax) floors.delete(floors.keys().next().value!);
    },
    boundsOf(gate: string): Bounds | undefined {
      const floorMs = floors.get(gate);
      return floorMs === undefined
        ? undefined
        : { floorMs, ceilingMs: Math.max(ceilingMs, floorMs) };
    },
  };
}
