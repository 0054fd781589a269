import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { readVersion } from "../../base/version.ts";
import type { Bucket } from "../../bucket/index.ts";
import type { OverpassSettings } from "../../campaign/index.ts";
import type { Fetcher } from "../../crawl/index.ts";
import type { PlaceSource, SnapshotStore } from "../../sources/index.ts";
import { openFetcher } from "../enrich/open-fetcher.ts";

export interface OpenOverpassOptions {
  readonly settings: OverpassSettings;
  /** A page or a mailbox of the operator: servers refuse requests without one. */
  readonly contact: string | undefined;
  readonly store: SnapshotStore;
  readonly bucket: Pick<Bucket, "get" | "putIfAbsent" | "putIfMatch">;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OpenedOverpass {
  readonly source: PlaceSource;
  readonly fetcher: Fetcher;
}

/** Sends nothing before the first query. */
export async function openOverpass(options: OpenOverpassOptions): Promise<OpenedOverpass> {
  const { settings, contact, store, bucket, clock, log } = options;
  const { url, delayMs, snapshotDays, maxDataAgeDays, dailyRequests, dailyBytes } = settings;
  if (contact === undefined) throw noContact(new URL(url).host);
  const { createDailyBudget } = await import("../../sources/index.ts");
  const { createOverpassClient } =
    await import("../../sources/adapters/overpass/overpass-client.ts");
  const { createOverpassSource, overpassKey } =
    await import("../../sources/adapters/overpass/overpass-source.ts");
  // The operator has configured the address, so it may be a private machine; redirects are not
  // followed.
  const allowPrivateNetworks = ["0.0.0.0/0", "::/0"];
  const fetcher = await openFetcher({
    version: readVersion(),
    contact,
    allowPrivateNetworks,
    clock,
  });
  const budget = createDailyBudget({
    bucket,
    prefix: `places/${overpassKey(url)}/usage/`,
    name: new URL(url).host,
    requestsMax: dailyRequests,
    bytesMax: dailyBytes,
    clock,
  });
  const client = createOverpassClient({
    url,
    fetcher,
    budget,
    delayMs,
    maxDataAgeDays,
    clock,
    log,
  });
  const gate = { delayMs, dailyRequests, dailyBytes };
  const source = createOverpassSource({ url, client, store, gate, snapshotDays, clock });
  return { source, fetcher };
}

const noContact = (host: string) =>
  new AppError(
    "invalid",
    "places_no_contact",
    `${host} requires a contact address: set contact = "you@example.org" under [politeness] in the ` +
      "campaign, or the setting crawl.contact",
  );
