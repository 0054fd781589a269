export { openQueue, type OpenQueueOptions } from "./open-queue.ts";
export { locateQueue, type QueueAddress } from "./queue-address.ts";
export { openBucket } from "./open-bucket.ts";
export { openFetcher, type OpenFetcherOptions } from "./open-fetcher.ts";
export { examineQueue, type PostgresFacts } from "./examine-queue.ts";
export { hubPartsIn, openLedgerIn, type OpenLedgerOptions } from "./open-ledger.ts";
export { createPlaceSources, openPlaceFile } from "./open-places.ts";
export {
  campaignHandlers,
  createCampaignServices,
  type CampaignServicesOptions,
} from "./campaign-services.ts";
export {
  openRecordsIn,
  openSearchIn,
  removeIndexIn,
  type OpenRecordsOptions,
  type RecordsIn,
} from "./open-records.ts";
export {
  createBuiltInWork,
  type BuiltInServices,
  type BuiltInWork,
  type BuiltInWorkOptions,
} from "./built-in-work.ts";
export {
  createEnrichServices,
  type EnrichServicesOptions,
  type OpenEnrichServices,
} from "./enrich-services.ts";
export { createRecordCompanies } from "./record-companies.ts";
