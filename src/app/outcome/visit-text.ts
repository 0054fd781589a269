import type { VisitCount } from "./visit-counts.ts";

/** More reasons would be hard to read. */
const reasonsMax = 5;

/** The setting to look at for each reason. */
const settings: Readonly<Record<string, string>> = {
  private_address: ": see crawl.allowPrivateNetworks",
  needs_scripts: ": install Chromium, see crawl.browser",
};

/** `20 private_address: see crawl.allowPrivateNetworks` */
export const reasonText = (reason: string, count: number): string =>
  `${count} ${reason}${settings[reason] ?? ""}`;

/** `12 done, 30 unreachable (20 private_address, 10 dns)` */
export function visitText(visits: readonly VisitCount[]): string {
  const outcomes = [...new Set(["done", ...visits.map(({ outcome }) => outcome)])];
  return outcomes
    .map((outcome) => {
      const ofIt = visits.filter((one) => one.outcome === outcome);
      const sum = ofIt.reduce((total, { count }) => total + count, 0);
      const reasons = ofIt
        .filter(({ reason }) => reason !== "" && reason !== outcome)
        .slice(0, reasonsMax)
        .map(({ reason, count }) => reasonText(reason, count));
      return `${sum} ${outcome}${reasons.length > 0 ? ` (${reasons.join(", ")})` : ""}`;
    })
    .join(", ");
}
