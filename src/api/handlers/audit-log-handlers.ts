import type { AuditQuery } from "../../audit/index.ts";
import type { auditLogRoutes } from "../contract/audit-log-routes.ts";
import type { HandlersOf } from "../handler.ts";

const pageSize = 1_000;

export const auditLogHandlers: HandlersOf<typeof auditLogRoutes> = {
  async listAuditLog({ query: { after, limit, ...filter } }, { audit }) {
    const { entries, next } = await audit.list({ ...times(filter), limit, cursor: after });
    return { rows: entries, next };
  },
  exportAuditLog: async ({ query }, { audit, signal }) => ({
    fileName: "audit-log.jsonl",
    type: "application/x-ndjson; charset=utf-8",
    async run(write) {
      let cursor: string | undefined;
      let rows = 0;
      do {
        signal.throwIfAborted();
        const { entries, next } = await audit.list({ ...times(query), limit: pageSize, cursor });
        await write(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
        rows += entries.length;
        cursor = next ?? undefined;
      } while (cursor !== undefined);
      return rows;
    },
  }),
};

type Filter = Omit<AuditQuery, "limit" | "cursor">;

/** Converts times to UTC, as in the entries. */
const times = ({ since, until, ...rest }: Filter): Filter => ({
  ...rest,
  since: since === undefined ? undefined : new Date(since).toISOString(),
  until: until === undefined ? undefined : new Date(until).toISOString(),
});
