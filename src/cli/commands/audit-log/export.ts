import { openAudit } from "../../../app/index.ts";
import type { Command } from "../../frame/command.ts";
import { auditOptions, auditQuery } from "./query-flags.ts";

const entriesMax = 1_000_000;

export const auditLogExport: Command = {
  needs: "settings",
  options: auditOptions,
  examples: [
    {
      line: "forager audit-log export --since 2026-11-01 > audit.jsonl",
      summary: "one line of JSON for each entry, oldest first",
    },
  ],
  details: ["With values before and after a change, without secrets, cut after 2,000 characters."],

  async run(context) {
    const { flags, out } = context;
    const audit = await openAudit(context);
    const rows = (await audit.list(auditQuery(flags, entriesMax))).entries.toReversed();
    context.recordChange({ after: { rows: rows.length } });
    out.result(rows, rows.map((row) => JSON.stringify(row)).join("\n"));
  },
};
