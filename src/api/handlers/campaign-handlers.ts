import type { campaignRoutes } from "../contract/campaign-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const campaignHandlers: HandlersOf<typeof campaignRoutes> = {
  listCampaigns: async (_, { campaigns }) => ({ rows: await campaigns.list() }),
  campaignStatus: ({ params: { campaign } }, { campaigns }) => campaigns.status(campaign),
};
