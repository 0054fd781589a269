export { openAuditLog, type AuditLog, type AuditQuery } from "./audit-log.ts";
export { auditResults, type AuditEntry, type NewAuditEntry } from "./audit-entry.ts";
export { redactEntries } from "./redact-entries.ts";
export { changedParts } from "./changed-parts.ts";
