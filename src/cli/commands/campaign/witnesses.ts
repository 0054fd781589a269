import { openLedgerIn } from "../../../app/index.ts";
import { planTiles, readWitnesses, type Campaign } from "../../../campaign/index.ts";
import type { SettingsContext } from "../../command.ts";

/** Which tiles of a campaign were looked through, by whom and when. */
export async function witnessesOf(
  { paths, log }: Pick<SettingsContext, "paths" | "log">,
  campaign: Campaign,
) {
  await using ledger = await openLedgerIn({ paths, log, isReader: true });
  return await readWitnesses(
    ledger,
    planTiles(campaign).map(({ tile }) => tile),
  );
}
