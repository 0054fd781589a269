import { AppError } from "../../base/app-error.ts";
import { resumeJob } from "../../campaign/index.ts";
import type { campaignWorkRoutes } from "../contract/campaign-work-routes.ts";
import type { HandlersOf } from "../handler.ts";
import { ProblemError } from "../problems.ts";
import { changeJob } from "./queue-write-handlers.ts";

export const campaignWorkHandlers: HandlersOf<typeof campaignWorkRoutes> = {
  planCampaign: ({ params: { campaign }, body }, { campaigns, signal }) =>
    campaigns.plan(campaign, { ...body, signal }),
  dispatchCampaign: ({ params: { campaign }, body }, { campaigns, signal }) =>
    campaigns.dispatch(campaign, { ...body, signal }),
  showCampaignJob: async ({ params: { campaign } }, { queue }) => ({
    job: (await (await queue()).job(campaign)) ?? null,
  }),
  async pauseCampaign({ params: { campaign } }, { campaigns, queue: open }) {
    const queue = await jobOf(campaign, await open(), campaigns);
    return changeJob(queue, campaign, () => queue.pause(campaign));
  },
  async resumeCampaign({ params: { campaign } }, { campaigns, queue: open, clock }) {
    const queue = await jobOf(campaign, await open(), campaigns);
    const nowMs = clock.nowMs();
    const resume = async () => (await resumeJob(queue, campaign, { nowMs })).answer;
    return changeJob(queue, campaign, resume);
  },
  async removeCampaign({ params: { campaign }, body: { confirm } }, { campaigns, caller }) {
    if (confirm !== campaign) {
      const detail = `body.confirm: repeat '${campaign}', the campaign that is removed`;
      throw new ProblemError(400, "not_confirmed", detail);
    }
    return { campaign, keptAs: await campaigns.remove(campaign, `hand:${caller.user}`) };
  },
  explainPhrases: async ({ query: { phrase, language } }, { campaigns }) => ({
    rows: campaigns.phrases({ phrases: phrase, languages: language }),
  }),
};

type Open = Parameters<(typeof campaignWorkHandlers)["pauseCampaign"]>[1];

/** The tasks of a campaign belong to the job of the same name. */
async function jobOf(
  campaign: string,
  queue: Awaited<ReturnType<Open["queue"]>>,
  campaigns: Open["campaigns"],
) {
  await campaigns.readConfig(campaign); // throws if there is no such campaign
  if (await queue.job(campaign)) return queue;
  const message = `campaign ${campaign} has no tasks yet: dispatch it first`;
  throw new AppError("conflict", "not_dispatched", message);
}
