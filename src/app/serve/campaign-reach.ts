import { dirname, isAbsolute, relative, sep } from "node:path";
import { AppError } from "../../base/app-error.ts";
import type { Campaign, CampaignFolder } from "../../campaign/index.ts";
import { isRemoteFile } from "../../sources/index.ts";

type Folder = Pick<CampaignFolder, "configFile" | "sourceFile" | "load">;

/**
 * A user who may write campaigns, but not administer the server, must not use one to read other
 * files of the server or to send requests to any server. Values set by an administrator may stay.
 */
export async function refuseOutside(folder: Folder, campaign: Campaign): Promise<void> {
  const wanted = outsideOf(folder, campaign);
  if (wanted.length === 0) return;
  const present = await folder.load(campaign.name).catch(notReadable);
  const known = new Set(present ? outsideOf(folder, present) : []);
  const added = wanted.find((one) => !known.has(one));
  if (added === undefined) return;
  throw new AppError(
    "invalid",
    "campaign_source_outside",
    `only an administrator may set ${added}: put the file into the folder of the campaign, or ask one`,
  );
}

/**
 * The values of `sources.file` and `sources.overpass.url` that lead out of the campaign's folder.
 */
function outsideOf(folder: Folder, campaign: Campaign): readonly string[] {
  const { sourceFile, overpass } = campaign;
  const found: string[] = [];
  const path = folder.sourceFile(campaign);
  if (path !== undefined && !isInside(dirname(folder.configFile(campaign.name)), path)) {
    found.push(`sources.file to ${sourceFile}`);
  }
  if (overpass) found.push(`sources.overpass.url to ${overpass.url}`);
  return found;
}

function isInside(folder: string, path: string): boolean {
  if (isRemoteFile(path)) return false;
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`);
}

function notReadable(error: unknown): undefined {
  if (error instanceof AppError) return undefined;
  throw error;
}
