export { extractPage } from "./extract-page.ts";
export { profileOf } from "./social/networks.ts";
export { emailKindOf } from "./email/rank-email.ts";
export type { Deobfuscate } from "./email/email-collector.ts";
export type { OrganizationFact, PageFacts, PersonFact } from "./page-facts.ts";
