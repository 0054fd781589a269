import type { campaignRoutes } from "../contract/campaign-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const campaignHandlers: HandlersOf<typeof campaignRoutes> = {
  listCampaigns: async (_, { campaigns }) => ({ rows: await campaigns.list() }),
  showCampaignConfig: async ({ params }, { campaigns }) => ({
    text: await campaigns.readConfig(params.campaign),
  }),
  saveCampaignConfig: ({ params, body }, { campaigns, caller }) =>
    campaigns.saveConfig(params.campaign, {
      ...body,
      mayReachOutside: caller.scopes.includes("users:admin"),
    }),
  async createCampaign({ body: { campaign } }, { campaigns }) {
    await campaigns.create(campaign);
    return { campaign };
  },
  campaignStatus: ({ params: { campaign } }, { campaigns }) => campaigns.status(campaign),
};
