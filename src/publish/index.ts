export { personalValues, type PersonalValue } from "./build/redact.ts";
export type { SiteCampaignSource, SiteSource, SourceCompany } from "./build/build-site.ts";
export { manifestFile, partsFolder, siteModes, type SiteMode } from "./site-format.ts";
export { publishSite, type PublishedSite } from "./write/publish-site.ts";
export { createKeySealing, makeSiteKey, type KeySealing } from "./write/seal.ts";
