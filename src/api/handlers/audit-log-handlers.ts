import type { auditLogRoutes } from "../contract/audit-log-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const auditLogHandlers: HandlersOf<typeof auditLogRoutes> = {
  listAuditLog: async ({ query: { since, ...query } }, { audit }) => ({
    rows: await audit.list({
      ...query,
      since: since === undefined ? undefined : new Date(since).toISOString(),
    }),
  }),
};
