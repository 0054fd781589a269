import type { Ledger } from "../../ledger/index.ts";

/** The keys of the suppression list that suppress a whole place. */
export const placeKeys = (place: string, domain: string | undefined): readonly string[] => [
  `place:${place}`,
  ...(domain === undefined ? [] : [`domain:${domain}`]),
];

/** Whether a place or its domain is on the suppression list or was forgotten. */
export async function isSuppressed(
  { ledger }: { readonly ledger: Pick<Ledger, "suppressed"> },
  place: string,
  domain: string | undefined,
): Promise<boolean> {
  return (await ledger.suppressed(placeKeys(place, domain))).length > 0;
}
