export { extractPage, type PageInput } from "./extract-page.ts";
export { profileOf } from "./social/networks.ts";
export { emailKindOf } from "./email/rank-email.ts";
export type { Deobfuscate } from "./email/email-collector.ts";
export type {
  AddressFact,
  EmailFact,
  EmailMethod,
  LinkFact,
  LinkWhere,
  OrganizationFact,
  PageFacts,
  PersonFact,
  PhoneFact,
  SocialFact,
} from "./page-facts.ts";
