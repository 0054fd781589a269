import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import type { Paths } from "../../config/index.ts";
import { campaignEstimateSchema, type CampaignEstimate } from "./estimate-schema.ts";

/**
 * The stored estimate of a campaign. Undefined if there is none, or if it has another format
 * version.
 */
export async function readEstimate(
  paths: Pick<Paths, "resolve">,
  campaign: string,
): Promise<CampaignEstimate | undefined> {
  try {
    const text = String(await readRegularFile(fileOf(paths, campaign)));
    const parsed = campaignEstimateSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // usually there is none
  }
}

export async function writeEstimate(
  paths: Pick<Paths, "resolve">,
  estimate: CampaignEstimate,
): Promise<void> {
  makeFolder(paths.resolve("campaigns", estimate.campaign), { mode: 0o700 });
  const text = `${JSON.stringify(estimate, null, 2)}\n`;
  await writeFileAtomic(fileOf(paths, estimate.campaign), text);
}

const fileOf = (paths: Pick<Paths, "resolve">, campaign: string) =>
  paths.resolve("campaigns", campaign, "estimate.json");
