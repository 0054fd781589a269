import { createHash } from "node:crypto";
import type { LoadedSettings } from "./load-settings.ts";

/** Settings that may differ between nodes. */
const ownSettings = [
  "data",
  "node.",
  "log.",
  "work.",
  "ledger.hub",
  "gossip.host",
  "gossip.port",
  "gossip.peers",
];

/**
 * Equal on nodes whose common settings are equal. All secrets count as equal, because they are
 * masked.
 */
export function settingsFingerprint({ values }: Pick<LoadedSettings, "values">): string {
  const common = values
    .filter(({ key }) => !ownSettings.some((own) => key.startsWith(own)))
    .map(({ key, display }) => [key, display]);
  return createHash("sha256").update(JSON.stringify(common)).digest("hex").slice(0, 12);
}
