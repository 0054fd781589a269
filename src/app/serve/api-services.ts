import type { ApiServices } from "../../api/index.ts";
import { createOnce } from "../../base/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { readVersion } from "../../base/version.ts";
import { describeSettings, userName, type LoadedSettings, type Paths } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import type { HealthSource } from "../../observe/index.ts";
import { openOrMakeQueue } from "../queue/configured-queue.ts";
import { hasFleetBucket, isFleetBucketCharged } from "../bucket/fleet-bucket.ts";
import { openAudit } from "../open-audit.ts";
import { openFleet } from "../node/open-fleet.ts";
import { openPlaces } from "../places/open-places.ts";
import { readKnownSites } from "../publish/known-sites.ts";
import { openStatusReader } from "../status/read-status.ts";
import { dayOf as usageDayOf, readUsage } from "../bucket/usage-record.ts";
import { openWebhooks } from "../webhooks/open-webhooks.ts";
import { createApiCampaigns } from "./api-campaigns.ts";
import { createApiExports } from "./api-exports.ts";
import { createApiFleet } from "./api-fleet.ts";
import { readStoredHistory } from "../history-file.ts";
import { createServeHealth } from "./serve-health.ts";

export interface ApiPartsOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  readonly node: NodeApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Set by a process that does more than serve. */
  readonly health?: HealthSource | undefined;
  readonly history?: ApiServices["history"] | undefined;
}

/** The services of the API for one data folder. Each is opened on first use. */
export function createApiServices(options: ApiPartsOptions): ApiServices & AsyncDisposable {
  const { loaded, paths, node, clock, log } = options;
  const { settings } = loaded;
  const place = { settings, paths, clock, log, signal: options.signal };
  const queue = createOnce(() => openOrMakeQueue({ settings, paths, wake: node.wake }));
  const places = createOnce(() => openPlaces({ paths, bucket: settings.bucket }));
  const statusOf = (isCluster: boolean) =>
    createOnce(() => openStatusReader({ ...place, node, isCluster, openQueue: () => queue.get() }));
  const statuses = { node: statusOf(false), cluster: statusOf(true) };
  const fleet = createOnce(() => openFleet({ ...place, node, isReader: true }));
  const version = readVersion();
  const webhooks = openWebhooks({ ...place, queue: () => queue.get() });
  return {
    node,
    queue: () => queue.get(),
    async status({ isCluster }) {
      const reader = await (isCluster ? statuses.cluster : statuses.node).get();
      return { version, ...(await reader.read()) };
    },
    campaigns: createApiCampaigns({
      ...place,
      node,
      queue: () => queue.get(),
      places: () => places.get(),
    }),
    exports: createApiExports({ paths, settings, node, clock }),
    webhooks,
    audit: openAudit(place),
    sites: {
      list: () => [...readKnownSites(paths)],
      async publish(target, { signal }) {
        const { publishKnown } = await import("../publish/publish-folder.ts");
        const published = await publishKnown(target, { reader: node, paths, settings, clock, queue: await queue.get(), signal }); // prettier-ignore
        const { status, generation, written, body, hook } = published;
        const { companies, leftOut } = body;
        return { status, generation, written, companies, leftOut, hook: hook?.text ?? null };
      },
    },
    fleet: createApiFleet({ open: () => fleet.get(), paths, clock }),
    async usage(days) {
      const since = usageDayOf(clock.nowMs() - (days - 1) * dayMs);
      const rows = await readUsage(since, { paths, clock, log });
      return {
        since,
        requests: rows.reduce((sum, { requests }) => sum + requests, 0),
        dollars: rows.reduce((sum, { dollars }) => sum + dollars, 0),
        rows: rows.map(({ day, caller, operation, requests, dollars }) => ({
          day,
          caller,
          operation,
          requests,
          dollars,
        })),
      };
    },
    settings: () => describeSettings(loaded),
    hasBucket: hasFleetBucket(place),
    isCharged: {
      bucket: isFleetBucketCharged(place),
      queue: settings.queue.url.startsWith("s3:"),
    },
    history: options.history ?? ((by) => readStoredHistory(paths, by)),
    health: options.health ?? createServeHealth(() => queue.get()),
    version,
    environment: settings.serve.environment ?? settings.environment ?? "",
    mapTiles:
      settings.serve.mapTileUrl === undefined
        ? undefined
        : { url: settings.serve.mapTileUrl, credit: settings.serve.mapTileCredit ?? "" },
    user: userName(),
    clock,
    random: systemRandom,
    log,
    async [Symbol.asyncDispose]() {
      await webhooks[Symbol.asyncDispose]();
      for (const one of [statuses.node, statuses.cluster, fleet, places, queue]) {
        await (await one.opened())?.[Symbol.asyncDispose]();
      }
    },
  };
}

const dayMs = 86_400_000;
