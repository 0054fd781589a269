export { personalValues, type PersonalValue } from "./build/redact.ts";
export type { SiteCampaignSource, SiteSource, SourceCompany } from "./build/build-site.ts";
export {
  manifestFile,
  partsFolder,
  siteModes,
  type SiteBody,
  type SiteManifest,
  type SiteMode,
} from "./site-format.ts";
export {
  graceMsDefault,
  publishSite,
  type PublishedSite,
  type PublishOptions,
} from "./write/publish-site.ts";
export { createKeySealing, makeSiteKey, type KeySealing } from "./write/seal.ts";
export type { SiteStore } from "./write/site-store.ts";
