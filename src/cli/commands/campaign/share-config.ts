import { openCampaignConfigs } from "../../../app/index.ts";
import { isUnavailable } from "../../../bucket/index.ts";
import { userName } from "../../../config/index.ts";
import type { SettingsContext } from "../../command.ts";

/**
 * Nodes work by the configuration that is in the bucket: what was edited in a file comes there
 * before tasks do, and what others changed comes here. Without a bucket there is nothing to share.
 */
export async function shareConfig(context: SettingsContext, campaign: string): Promise<void> {
  try {
    await using configs = await openCampaignConfigs(context, `hand:${userName()}`);
    await configs.share(campaign);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    context.out.note(
      `the configuration of ${campaign} was not shared, the bucket does not answer: ` +
        "nodes work by the one they have",
    );
  }
}
