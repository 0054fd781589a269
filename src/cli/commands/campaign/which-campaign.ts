import { relative, sep } from "node:path";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import {
  campaignNameRule,
  openCampaignFolder,
  type Campaign,
  type CampaignFolder,
} from "../../../campaign/index.ts";
import type { ArgumentSpec, SettingsContext } from "../../command.ts";

export const campaignArgument: ArgumentSpec = {
  name: "name",
  summary: "the campaign (default: the one whose folder this is)",
  isOptional: true,
  complete: "campaign",
};

type Context = Pick<SettingsContext, "args" | "cwd" | "paths">;

/** The one that was named, or in whose folder the command runs. There is no hidden current one. */
export function campaignNameOf({ args, cwd, paths }: Context): string | undefined {
  if (args[0] !== undefined) return args[0];
  const [name = ""] = relative(paths.resolve("campaigns"), cwd).split(sep);
  return campaignNameRule.test(name) ? name : undefined;
}

export async function loadCampaign(
  context: Context,
): Promise<{ readonly campaign: Campaign; readonly folder: CampaignFolder }> {
  const folder = openCampaignFolder(context.paths);
  const name = campaignNameOf(context);
  if (name === undefined) {
    const names = await folder.list();
    const known =
      names.length > 0 ? `there are ${names.slice(0, 10).join(", ")}` : "make one first";
    throw usageError(`which campaign? name it, or run this in its folder: ${known}`);
  }
  return { folder, campaign: await asUsage(() => folder.load(name)) };
}
