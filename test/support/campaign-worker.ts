/**
 * A worker process of a campaign: discover and details, in the data folder of the first argument,
 * until nothing is left. Several of them share the folder's queue and ledger; each may be killed.
 */
import { join } from "node:path";
import {
  campaignHandlers,
  createCampaignServices,
} from "../../src/app/campaign/campaign-services.ts";
import { openPlaces, openQueue } from "../../src/app/index.ts";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { readVersion } from "../../src/base/version.ts";
import { createLedgerCompanies } from "../../src/campaign/testing/ledger-companies.ts";
import { createPaths } from "../../src/config/index.ts";
import { createWorker } from "../../src/worker/index.ts";

const [folder = ""] = process.argv.slice(2);
const paths = createPaths(folder);
const log = silentLogger;
await using node = await openNodeIn({
  kind: "command",
  paths,
  log,
  user: "test",
  version: readVersion(),
});
const { ledger } = node.api;
await using queue = await openQueue(`sqlite:${join(folder, "queue.db")}`);
await using places = await openPlaces({ paths });
const worker = createWorker({
  queue,
  name: `w-${process.pid}`,
  handlers: campaignHandlers(),
  services: createCampaignServices({
    paths,
    clock: systemClock,
    ledger,
    queue,
    places: async () => places,
    companies: createLedgerCompanies(ledger),
    enrichTask: () => undefined,
  }),
  concurrency: 4,
  leaseMs: 1_000,
  drain: true,
});
await worker.start();
await worker.ended;
await worker.stop();
