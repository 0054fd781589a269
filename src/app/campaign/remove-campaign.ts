import { AppError } from "../../base/app-error.ts";
import { countTasks } from "../../base/text/count-words.ts";
import type { CampaignFolder } from "../../campaign/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { CampaignConfigs } from "./campaign-configs.ts";

export interface RemoveCampaignOptions {
  readonly folder: CampaignFolder;
  /** Undefined if the queue does not exist yet. */
  readonly queue: Pick<Queue, "job"> | undefined;
}

export interface RemovedCampaignOptions extends RemoveCampaignOptions {
  readonly configs: Pick<CampaignConfigs, "remove">;
}

/** Throws `campaign_has_tasks` if the campaign has unfinished tasks. */
export async function checkRemovable(name: string, { folder, queue }: RemoveCampaignOptions) {
  await folder.load(name);
  const job = await queue?.job(name);
  const left = job?.ended ? 0 : (job?.pending ?? 0) + (job?.running ?? 0);
  if (left === 0) return;
  const message = `campaign ${name} has ${countTasks(left)} left: \`forager queue cancel ${name} --yes\` first`;
  throw new AppError("conflict", "campaign_has_tasks", message);
}

/**
 * Removes the configuration of the fleet, and moves the folder of the campaign to a place where it
 * is kept. Returns that path.
 */
export async function removeCampaign(name: string, options: RemovedCampaignOptions) {
  await checkRemovable(name, options);
  await options.configs.remove(name);
  return options.folder.remove(name);
}
