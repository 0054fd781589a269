import { planTiles, readWitnesses, type Campaign } from "../../../campaign/index.ts";
import type { SettingsContext } from "../../command.ts";
import { openReaderOf } from "../../node-context.ts";

/** Which tiles of a campaign were looked through, by whom and when. */
export async function witnessesOf(context: SettingsContext, campaign: Campaign) {
  await using reader = await openReaderOf(context);
  return await readWitnesses(
    reader.ledger,
    planTiles(campaign).map(({ tile }) => tile),
  );
}
