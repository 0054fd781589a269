import { openAudit } from "../../../app/index.ts";
import type { Command } from "../../command.ts";
import { auditOptions, auditQuery } from "./query-flags.ts";

export const auditLogList: Command = {
  needs: "settings",
  options: [
    ...auditOptions,
    { flag: "--limit", value: "count", summary: "newest ones, at most so many", default: "50" },
  ],
  examples: [
    { line: "forager audit-log list", summary: "what was changed last, and by whom" },
    { line: "forager audit-log list --result denied", summary: "what was refused" },
  ],
  details: [
    "Recorded on this machine: sign-ins, refused requests, changes and exports through the HTTP API,\n" +
      "and commands that change something or export. audit.keepDays says how long.",
  ],

  async run(context) {
    const { flags, out } = context;
    const { entries: rows } = await (await openAudit(context)).list(auditQuery(flags, 50));
    if (rows.length === 0) return out.result([], "nothing is recorded");
    out.table(rows, [
      { title: "at", value: ({ at }) => at, isKey: true },
      { title: "who", value: ({ who, by }) => `${who || "nobody"} (${by})` },
      { title: "from", value: ({ from }) => from ?? "here" },
      { title: "what", value: ({ what }) => what },
      { title: "target", value: ({ target }) => target },
      { title: "result", value: ({ result, detail }) => (result === "ok" ? "ok" : `${result}: ${detail}`) }, // prettier-ignore
    ]);
  },
};
