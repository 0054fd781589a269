export { openAuditLog, type AuditLog, type AuditPage, type AuditQuery } from "./audit-log.ts";
export { auditResults, type AuditEntry, type NewAuditEntry } from "./audit-entry.ts";
export { redactEntries, type ForgottenRecord } from "./redact-entries.ts";
export { changedParts, type ChangedParts } from "./changed-parts.ts";
