import type { Noun } from "../../frame/command.ts";

export const auditLogNoun: Noun = {
  name: "audit-log",
  summary: "who did what on this machine",
  commands: [
    {
      name: "audit-log list",
      summary: "who did what: sign-ins, refusals, changes, exports",
      load: async () => (await import("./list.ts")).auditLogList,
    },
    {
      name: "audit-log export",
      summary: "export the entries as JSON lines",
      load: async () => (await import("./export.ts")).auditLogExport,
    },
  ],
};
