import type { Clock } from "../../base/clock.ts";
import type { Campaign, CampaignFolder, TopUpServices } from "../../campaign/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { Places } from "../places/open-places.ts";
import { addDueTasks, findDueTasks } from "./dispatch-campaign.ts";

export interface TopUpServicesOptions {
  readonly folder: CampaignFolder;
  readonly campaign: (name: string) => Promise<Campaign>;
  readonly queue: Queue;
  readonly ledger: Pick<NodeReadApi["ledger"], "readAll">;
  readonly clock: Clock;
  readonly placesHere: () => Promise<Places>;
}

/** The services of the kind `dispatch`: the same steps as `forager campaign dispatch`. */
export const createTopUpServices = (options: TopUpServicesOptions): TopUpServices => ({
  pendingOf: async (name) => (await options.queue.job(name))?.pending ?? 0,
  async dispatchDue({ campaign: name, isRematch }, signal) {
    const { folder, queue, ledger, clock } = options;
    const campaign = await options.campaign(name);
    const places = await options.placesHere();
    // The operator confirmed the number of tiles when the campaign was dispatched.
    const isForced = true;
    const due = await findDueTasks({
      campaign,
      folder,
      places,
      ledger,
      clock,
      isRematch,
      isForced,
      signal,
    });
    return addDueTasks({ queue, campaign, due, nowMs: clock.nowMs() });
  },
});
