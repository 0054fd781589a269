export {
  companyOf,
  companyTarget,
  idOf,
  type Company,
  type Contact,
  type Member,
} from "./company.ts";
export { entryField, entryValue, type Entry } from "./entry.ts";
export {
  entryKinds,
  listNames,
  listPrefixes,
  numberFields,
  textFields,
  type EntryKind,
  type ListName,
  type NumberField,
  type TextField,
} from "./fields.ts";
export { personOf, personTarget, type Person, type PersonTextField } from "./person.ts";
export type {
  IndexBatch,
  Indexed,
  RecordIndex,
  RecordProblem,
  RenderMark,
} from "./record-index.ts";
export type * from "./records.ts";
export { isSlug, slugOf } from "./slug.ts";
export { nameAndAddress } from "./duplicates.ts";
export { isPageTitle } from "./machine-facts.ts";
export { normalDomain } from "./identity.ts";
export { openRecords } from "./open-records.ts";
