import type { Campaign } from "../../campaign/index.ts";
import type { LoadedSettings } from "../../config/index.ts";
import type { PreflightFinding } from "./preflight.ts";

/** Values of a campaign override the settings; the operator should know about differences. */
export function overriddenFindings(
  { values }: LoadedSettings,
  { name, politeness }: Pick<Campaign, "name" | "politeness">,
): readonly PreflightFinding[] {
  return (["delayMs", "contact"] as const).flatMap((key): PreflightFinding[] => {
    const own = politeness[key];
    const set = values.find((one) => one.key === `crawl.${key}`);
    if (own === undefined || !set || set.source === "default" || set.value === own) return [];
    return [
      {
        check: "override",
        state: "note",
        detail: `campaign ${name} sets politeness.${key} = ${own}, over crawl.${key} = ${String(set.value)} (${set.source})`,
        advice: `remove ${key} from its config.toml to use the setting`,
      },
    ];
  });
}
