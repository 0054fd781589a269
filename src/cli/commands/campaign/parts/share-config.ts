import { openCampaignConfigs } from "../../../../app/index.ts";
import { isUnavailable } from "../../../../bucket/index.ts";
import { userName } from "../../../../config/index.ts";
import type { SettingsContext } from "../../../frame/command.ts";

/**
 * Nodes use the configuration in the bucket, so edits of the local file are uploaded
 * before tasks are added, and changes by others are downloaded. Without a bucket this does nothing.
 */
export async function shareConfig(context: SettingsContext, campaign: string): Promise<void> {
  try {
    await using configs = await openCampaignConfigs(context, `hand:${userName()}`);
    await configs.share(campaign);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    context.out.note(notShared(campaign));
  }
}

export const notShared = (campaign: string): string =>
  `the configuration of ${campaign} was not shared, the bucket does not answer: ` +
  "nodes use the one they have";
