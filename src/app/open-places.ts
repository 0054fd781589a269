import { AppError } from "../base/app-error.ts";
import type { Campaign, CampaignFolder, PlaceFinder } from "../campaign/index.ts";

/** Where the places of a campaign come from. Each file is read through once, however many ask. */
export function createPlaceSources(folder: CampaignFolder) {
  const finders = new Map<string, Promise<PlaceFinder>>();
  return (campaign: Campaign): Promise<PlaceFinder> => {
    const file = folder.sourceFile(campaign);
    if (file === undefined) return Promise.reject(noSource(campaign.name));
    const known = finders.get(file) ?? openPlaceFile(file);
    finders.set(file, known);
    return known;
  };
}

export async function openPlaceFile(file: string) {
  const { createFileSource } = await import("../sources/adapters/file/file-source.ts");
  return createFileSource({ file });
}

const noSource = (name: string) =>
  new AppError(
    "invalid",
    "campaign_source",
    `campaign ${name} names no source: write file = "places.jsonl" under [sources] in its config.toml`,
  );
