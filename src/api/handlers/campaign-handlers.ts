import type { campaignRoutes } from "../contract/campaign-routes.ts";
import type { HandlersOf } from "../handler.ts";
import type { auditRoutes } from "../contract/audit-routes.ts";
import type { campaignViewRoutes } from "../contract/campaign-view-routes.ts";

export const campaignHandlers: HandlersOf<typeof campaignRoutes> = {
  listCampaigns: async (_, { campaigns }) => ({ rows: await campaigns.list() }),
  showCampaignConfig: async ({ params }, { campaigns }) => ({
    text: await campaigns.readConfig(params.campaign),
  }),
  saveCampaignConfig: ({ params, body }, { campaigns, caller }) =>
    campaigns.saveConfig(params.campaign, {
      ...body,
      mayReachOutside: caller.scopes.includes("users:admin"),
      by: `hand:${caller.user}`,
    }),
  async createCampaign({ body: { campaign } }, { campaigns, caller }) {
    await campaigns.create(campaign, `hand:${caller.user}`);
    return { campaign };
  },
  campaignStatus: ({ params: { campaign } }, { campaigns }) => campaigns.status(campaign),
};

export const auditHandlers: HandlersOf<typeof auditRoutes> = {
  auditCampaigns: ({ query }, { campaigns, signal }) => campaigns.audit(query.campaign, { signal }),
  repairCampaigns: ({ body }, { campaigns, signal }) =>
    campaigns.repairAudit(body.campaign, { signal }),
};

export const campaignViewHandlers: HandlersOf<typeof campaignViewRoutes> = {
  campaignReport: ({ params: { campaign }, query: { fresh } }, { campaigns, signal }) =>
    campaigns.report(campaign, { isFresh: fresh, signal }),
  campaignEstimate: ({ params: { campaign } }, { campaigns, signal }) =>
    campaigns.estimate(campaign, { signal }),
  campaignCoverage: ({ params: { campaign }, query: { phrase } }, { campaigns, signal }) =>
    campaigns.coverage(campaign, { ...(phrase !== undefined && { phrase }), signal }),
};
