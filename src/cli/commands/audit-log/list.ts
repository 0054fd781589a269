import { openAudit } from "../../../app/index.ts";
import type { AuditEntry, AuditLog, AuditQuery } from "../../../audit/index.ts";
import type { Command } from "../../frame/command.ts";
import { emptyPageText, listPageOptions, moreRowsText, readListPage, rowsOfPage } from "../../terminal/list-page.ts"; // prettier-ignore
import type { TableColumn } from "../../terminal/table.ts";
import { auditOptions, auditQuery } from "./query-flags.ts";

export const auditLogList: Command = {
  needs: "settings",
  options: [...auditOptions, ...listPageOptions(50)],
  examples: [
    { line: "forager audit-log list", summary: "the last changes, and who made them" },
    { line: "forager audit-log list --result denied", summary: "refused requests" },
  ],
  details: [
    "Recorded on this machine: sign-ins, refused requests, changes and exports through the HTTP API,\n" +
      "and commands that change something or export. audit.keepDays says how long.",
  ],

  async run(context) {
    const { flags, out, signal } = context;
    const page = readListPage(flags, 50);
    const audit = await openAudit(context);
    const { limit: _limit, ...query } = auditQuery(flags, 50);
    const paged = rowsOfPage(entriesOf(audit, query, signal), page);
    await out.list(paged.rows, { columns, empty: emptyPageText(page, "nothing is recorded") });
    if (paged.hasMore()) out.note(moreRowsText(page));
  },
};

const readAtOnce = 500;

/** Newest first, page by page. */
async function* entriesOf(
  audit: AuditLog,
  query: Omit<AuditQuery, "limit">,
  signal: AbortSignal,
): AsyncGenerator<AuditEntry> {
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const { entries, next } = await audit.list({ ...query, cursor, limit: readAtOnce });
    yield* entries;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}

const columns: readonly TableColumn<AuditEntry>[] = [
  { title: "at", value: ({ at }) => at, isKey: true },
  { title: "who", value: ({ who, by }) => `${who || "nobody"} (${by})` },
  { title: "from", value: ({ from }) => from ?? "here" },
  { title: "what", value: ({ what }) => what },
  { title: "target", value: ({ target }) => target },
  { title: "result", value: ({ result, detail }) => (result === "ok" ? "ok" : `${result}: ${detail}`) }, // prettier-ignore
];
