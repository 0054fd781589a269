import { fetchMissingConfigs, type UnfetchedChanges } from "../../../../app/index.ts";
import { countOf } from "../../../../base/text/count-words.ts";
import type { SettingsContext } from "../../../frame/command.ts";

/**
 * Fetches campaign configurations that this node does not have yet: of one campaign, or of all.
 * With `isNewest` also newer versions, unless the local file was edited.
 */
export async function fetchConfigs(
  context: Pick<SettingsContext, "settings" | "paths" | "clock" | "out">,
  name?: string,
  { isNewest = false }: { readonly isNewest?: boolean } = {},
): Promise<void> {
  const problem = await fetchMissingConfigs({ ...context, isNewest }, name);
  if (problem === undefined) return;
  context.out.note(
    isNewest
      ? `the configuration of this data folder is used, because the bucket could not be read: ${problem}`
      : `only campaigns of this data folder are shown, because the bucket could not be read: ${problem}`,
  );
}

/** The reason why the numbers of a campaign do not cover the whole fleet. */
export const unfetchedText = (unfetched: UnfetchedChanges): string =>
  "problem" in unfetched
    ? `these numbers cover only the data on this node, because the bucket could not be read: ${unfetched.problem}`
    : `this node lacks ${countOf(unfetched.changes, "change")} of other nodes, so these numbers are too ` +
      "low: `forager ledger sync` fetches them, and `forager up` does so automatically";
