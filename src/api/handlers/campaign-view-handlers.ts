import type { campaignViewRoutes } from "../contract/campaign-view-routes.ts";
import type { HandlersOf } from "../handler.ts";

export const campaignViewHandlers: HandlersOf<typeof campaignViewRoutes> = {
  campaignReport: ({ params: { campaign }, query: { fresh } }, { campaigns, signal }) =>
    campaigns.report(campaign, { isFresh: fresh, signal }),
  campaignEstimate: ({ params: { campaign } }, { campaigns, signal }) =>
    campaigns.estimate(campaign, { signal }),
  campaignCoverage: ({ params: { campaign }, query: { phrase } }, { campaigns, signal }) =>
    campaigns.coverage(campaign, { ...(phrase !== undefined && { phrase }), signal }),
};
