import { relative, sep } from "node:path";
import { asUsage, usageError } from "../../../../base/usage-error.ts";
import {
  campaignNameRule,
  openCampaignFolder,
  type Campaign,
  type CampaignFolder,
} from "../../../../campaign/index.ts";
import { campaignVariable } from "../../../../config/index.ts";
import type { ArgumentSpec, OptionSpec, SettingsContext } from "../../../frame/command.ts";
import { textFlag } from "../../../options/flags.ts";
import { fetchConfigs } from "./fleet-news.ts";

export const campaignArgument: ArgumentSpec = {
  name: "name",
  summary: `the campaign (default: --campaign, otherwise ${campaignVariable}, otherwise the one of this folder)`,
  isOptional: true,
  complete: "campaign",
};

export const campaignOption: OptionSpec = {
  flag: "--campaign",
  value: "name",
  summary: "the campaign, instead of an argument",
};

export type CampaignContext = Pick<SettingsContext, "args" | "flags" | "cwd" | "paths">;

/**
 * The campaign named by argument, flag or environment variable, or the one whose folder is the
 * current directory. No current campaign is remembered between commands.
 */
export function campaignNameOf({ args, flags, cwd, paths }: CampaignContext): string | undefined {
  const [argument] = args;
  const flag = textFlag(flags, "campaign");
  if (argument !== undefined && flag !== undefined && argument !== flag) {
    throw usageError(`two campaigns are named, ${argument} and --campaign ${flag}: name one`);
  }
  const named = argument ?? flag ?? process.env[campaignVariable];
  if (named !== undefined && named !== "") return named;
  for (const folder of [paths, paths.base()]) {
    const [name = ""] = relative(folder.resolve("campaigns"), cwd).split(sep);
    if (campaignNameRule.test(name)) return name;
  }
  return undefined;
}

/** Like `campaignNameOf`, but throws if no campaign is named. */
export async function requireCampaignName(context: CampaignContext): Promise<string> {
  const name = campaignNameOf(context);
  if (name !== undefined) return name;
  const names = await openCampaignFolder(context.paths).list();
  const known =
    names.length > 0 ? `there are ${names.slice(0, 10).join(", ")}` : "create one first";
  throw usageError(
    `which campaign? name it, set ${campaignVariable}, or run this in its folder: ${known}`,
  );
}

export async function loadCampaign(
  context: SettingsContext,
): Promise<{ readonly campaign: Campaign; readonly folder: CampaignFolder }> {
  const folder = openCampaignFolder(context.paths);
  const name = await requireCampaignName(context);
  await fetchConfigs(context, name, { isNewest: true });
  return { folder, campaign: await asUsage(() => folder.load(name)) };
}
