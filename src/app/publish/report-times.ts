import { stat } from "node:fs/promises";
import { openCampaignFolder } from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";

/** Changes when a report of the site has been computed again. */
export async function reportTimes(paths: Paths, campaign: string | undefined): Promise<string> {
  const names = campaign === undefined ? await openCampaignFolder(paths).list() : [campaign];
  const times = names.map(async (name) => {
    const found = await stat(paths.resolve("campaigns", name, "report.json")).catch(
      () => undefined,
    );
    return `${name} ${found?.mtimeMs ?? 0}`;
  });
  return (await Promise.all(times)).join("\n");
}
