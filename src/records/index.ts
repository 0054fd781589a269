export { companyOf, companyTarget, idOf, type Company, type Contact } from "./fields/company.ts";
export {
  emailStatuses,
  emailStatusField,
  emailStatusOf,
  type EmailStatus,
  type EmailStatusName,
} from "./fields/email-status.ts";
export { type RecordEntry } from "./fields/entry.ts";
export {
  listNames,
  listPrefixes,
  numberFields,
  textFields,
  type EntryKind,
} from "./fields/fields.ts";
export { foundField, type FoundBy } from "./fields/found-by.ts";
export { missingEmailOf, missingEmailText } from "./fields/missing-email.ts";
export { personTarget, type Person } from "./fields/person.ts";
export type { Indexed, RecordProblem } from "./search/record-index.ts";
export type * from "./records.ts";
export { nameMark, termsOf } from "./search/search-words.ts";
export { pageLimitMax, recordSorts } from "./search/record-search.ts";
export type {
  RecordFilters,
  RecordPage,
  RecordQuery,
  RecordReader,
  RecordSearch,
  RecordSort,
  ContactUsage,
} from "./search/record-search.ts";
export { csvLine } from "./exchange/csv-text.ts";
export { createCsvReader } from "./exchange/csv-reader.ts";
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
  derivedColumns,
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
  countSuppressed,
  newestSuppressed,
  suppressionRows,
  removeSuppressed,
  withoutListed,
  type Suppression,
} from "./suppression/suppression.ts";
export { fieldToUnset, readFieldValues, type EditOptions } from "./change/edit-fields.ts";
export { createPlanner } from "./change/create.ts";
export { finishIdForm, isIdFormFinished } from "./change/id-form.ts";
export { auditedRecords } from "./change/audited-state.ts";
export { deleteRecord, findDeleted } from "./change/delete-record.ts";
export { findDuplicates } from "./fields/duplicates.ts";
export { mergedFieldsPrefix, placesOf } from "./fields/places.ts";
export { differencesOf, historyOf, type FieldDifference } from "./change/record-history.ts";
export { manualChanges, planUndo, type ManualChange } from "./change/undo.ts";
export {
  findDuplicatePairs,
  type DuplicatePair,
  type FindPairsOptions,
} from "./resolve/find-pairs.ts";
export { mergeDuplicates, type MergingRecords } from "./resolve/merge-duplicates.ts";
export { distinctChanges, mergedCompanies, unmergeCompany } from "./change/unmerge.ts";
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
export { openRecordDisk } from "./files/record-disk.ts";
export { idsOfName, normalDomain, randomLength as newRecordIdLength } from "./fields/identity.ts";
export { openRecords } from "./open-records.ts";
export { mustResolveName, recordFileOf, resolveName } from "./search/resolve-name.ts";
export { mergedPrefix, retentionSource, targetsOf } from "./change/record-history.ts";
export { isVisitRead, visitField, visitRecordOf, type VisitRecord } from "./fields/visit-record.ts";
export { createCardReader, type ReadCard } from "./exchange/vcard-reader.ts";
