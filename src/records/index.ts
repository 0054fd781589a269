export {
  companyOf,
  companyTarget,
  idOf,
  type Company,
  type CompanyVisit,
  type Contact,
  type Member,
} from "./company.ts";
export {
  emailStatuses,
  emailStatusField,
  emailStatusOf,
  type EmailStatus,
  type EmailStatusName,
} from "./email-status.ts";
export { entryField, entryValue, type RecordEntry } from "./entry.ts";
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
export { foundField, foundPrefix, type FoundBy } from "./found-by.ts";
export { missingEmailOf, missingEmailText, type MissingEmail } from "./missing-email.ts";
export { personOf, personTarget, type Person, type PersonTextField } from "./person.ts";
export type {
  IndexBatch,
  Indexed,
  RecordIndex,
  RecordLookup,
  RecordProblem,
  RenderMark,
} from "./record-index.ts";
export type * from "./records.ts";
export { nameMark, termsOf } from "./search-words.ts";
export { isSlug, slugOf } from "./slug.ts";
export { pageLimitMax, recordSorts } from "./record-search.ts";
export type {
  RecordFilters,
  RecordPage,
  RecordQueries,
  RecordQuery,
  RecordReader,
  RecordSearch,
  RecordSort,
  ContactUsage,
} from "./record-search.ts";
export { csvLine, type CsvValue } from "./exchange/csv-text.ts";
export { createCsvReader, type CsvRecord } from "./exchange/csv-reader.ts";
export {
  companyCsvHeader,
  companyCsvLine,
  companyObject,
  exportColumnNames,
  type EmailRow,
} from "./exchange/export-rows.ts";
export {
  createCompanyWriter,
  createEmailWriter,
  emailExportFormats,
  exportFormats,
  kmlBegin,
  kmlData,
  kmlLicences,
  legalLines,
  licenceMember,
  type DataLicence,
  type ExportFormat,
  type ExportWriter,
  type LegalNotice,
} from "./exchange/export-writer.ts";
export {
  createPresetCompanyWriter,
  createPresetEmailWriter,
  findPreset,
  presetNames,
  readPreset,
  type ExportPreset,
  type PresetOf,
} from "./exchange/export-preset.ts";
export {
  companyDigest,
  emptyExportState,
  exportStateLines,
  isClosed,
  readExportState,
  wasClosed,
  type ExportState,
} from "./exchange/export-state.ts";
export {
  checkMappings,
  columnOf,
  importFields,
  planColumns,
  type ColumnOptions,
  type ImportColumn,
} from "./exchange/import-columns.ts";
export {
  companyKeyOf,
  readCompany,
  type ImportCell,
  type CompanyRead,
} from "./exchange/read-company.ts";
export { readDomain, readEmail, readMoment } from "./exchange/read-values.ts";
export {
  readKey as readSuppressionKey,
  suppressionKeyOf,
  suppressionKinds,
  type SuppressionKind,
} from "./suppression/keys.ts";
export { mentionedKeys, numbersIn, regionOf, withoutMentions } from "./suppression/mentions.ts";
export { importOptOuts, type OptOutImport } from "./suppression/import-optouts.ts";
export { readSuppressFile } from "./suppression/read-suppress-file.ts";
export {
  addSuppressed,
  joinSuppressions,
  ledgerSuppression,
  listedKeysOf,
  mentionsOf,
  listSuppressed,
  removeSuppressed,
  withoutListed,
  type Suppression,
  type SuppressionRow,
} from "./suppression/suppression.ts";
export { fieldToUnset, readFieldValues, type EditOptions } from "./edit-fields.ts";
export { createPlanner } from "./create.ts";
export { auditedRecords } from "./audited-state.ts";
export {
  deleteRecord,
  findDeleted,
  type DeletedRecord,
  type FoundDeleted,
} from "./delete-record.ts";
export { findDuplicates, nameAndAddress } from "./duplicates.ts";
export { placesOf } from "./places.ts";
export { differencesOf, type FieldDifference } from "./record-history.ts";
export { manualChanges, planUndo, type ManualChange, type UndoPlan } from "./undo.ts";
export {
  findDuplicatePairs,
  type DuplicatePair,
  type FindPairsOptions,
} from "./resolve/find-pairs.ts";
export { mergeDuplicates, type MergingRecords } from "./resolve/merge-duplicates.ts";
export {
  distinctChanges,
  mergedCompanies,
  unmergeCommit,
  unmergeCompany,
  type UnmergingNode,
} from "./unmerge.ts";
export {
  checkRecords,
  findingsMax,
  type Checked,
  type CheckedNode,
} from "./integrity/check-records.ts";
export { repairWords, type RecordFinding } from "./integrity/finding.ts";
export { createQuarantine, type Quarantine, type QuarantineEntry } from "./integrity/quarantine.ts";
export {
  repairRecords,
  restoreQuarantined,
  type RecordsRepaired,
} from "./integrity/repair-records.ts";
export { openRecordDisk } from "./record-disk.ts";
export { createFileCheck, type FileCheck } from "./file-check.ts";
export { isPageTitle } from "./machine-facts.ts";
export { normalDomain, randomLength as newRecordIdLength } from "./identity.ts";
export { openRecords } from "./open-records.ts";
export { recordFileOf, resolveName } from "./resolve-name.ts";
export { retentionSource } from "./record-history.ts";
export { isVisitRead, visitField, visitRecordOf, type VisitRecord } from "./visit-record.ts";
export { createCardReader, type ReadCard } from "./exchange/vcard-reader.ts";
