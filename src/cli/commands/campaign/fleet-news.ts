import { fetchMissingConfigs, type UnfetchedChanges } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import type { SettingsContext } from "../../command.ts";

/** Fetches configurations that the fleet has and this node has not: of one campaign, or of all. */
export async function fetchConfigs(
  context: Pick<SettingsContext, "settings" | "paths" | "clock" | "out">,
  name?: string,
): Promise<void> {
  const problem = await fetchMissingConfigs(context, name);
  if (problem === undefined) return;
  context.out.note(
    `only campaigns of this data folder are known, the bucket's are not: ${problem}`,
  );
}

/** Why the numbers of a campaign are not those of the whole fleet. */
export const unfetchedText = (unfetched: UnfetchedChanges): string =>
  "problem" in unfetched
    ? `these numbers are what this node knows, the bucket's are not known: ${unfetched.problem}`
    : `this node lacks ${countOf(unfetched.changes, "change")} of other nodes, so these numbers are too ` +
      "low: `forager ledger sync` fetches them, and `forager up` does so by itself";
