import { AppError } from "../../base/app-error.ts";
import { countTasks } from "../../base/count-words.ts";
import type { CampaignFolder } from "../../campaign/index.ts";
import type { Queue } from "../../queue/index.ts";

export interface RemoveCampaignOptions {
  readonly folder: CampaignFolder;
  /** Undefined: there is none yet. */
  readonly queue: Pick<Queue, "job"> | undefined;
}

/** Throws `campaign_has_tasks` while tasks of it are left. */
export async function checkRemovable(name: string, { folder, queue }: RemoveCampaignOptions) {
  await folder.load(name);
  const job = await queue?.job(name);
  const left = job?.ended ? 0 : (job?.pending ?? 0) + (job?.running ?? 0);
  if (left === 0) return;
  const message = `campaign ${name} has ${countTasks(left)} left: \`forager queue cancel ${name} --yes\` first`;
  throw new AppError("conflict", "campaign_has_tasks", message);
}

/** Moves the folder of a campaign aside. Answers where it is kept. */
export async function removeCampaign(name: string, options: RemoveCampaignOptions) {
  await checkRemovable(name, options);
  return options.folder.remove(name);
}
