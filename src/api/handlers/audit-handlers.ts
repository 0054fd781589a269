import type { auditRoutes } from "../contract/audit-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const auditHandlers: HandlersOf<typeof auditRoutes> = {
  auditCampaigns: ({ query }, { campaigns, signal }) => campaigns.audit(query.campaign, { signal }),
  repairCampaigns: ({ body }, { campaigns, signal }) =>
    campaigns.repairAudit(body.campaign, { signal }),
};
