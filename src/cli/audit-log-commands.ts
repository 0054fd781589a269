import type { CommandEntry } from "./command.ts";

/** Commands of the audit log. `campaign audit` is something else: it looks at data. */
export const auditLogCommands: readonly CommandEntry[] = [
  {
    name: "audit-log list",
    summary: "who did what: sign-ins, refusals, changes, exports",
    load: async () => (await import("./commands/audit-log/list.ts")).auditLogList,
  },
  {
    name: "audit-log export",
    summary: "the same as lines of JSON",
    load: async () => (await import("./commands/audit-log/export.ts")).auditLogExport,
  },
];
