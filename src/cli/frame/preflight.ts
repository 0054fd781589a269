import { findingText, preflight, type PreflightOptions } from "../../app/index.ts";
import type { SettingsContext } from "./command.ts";

/** Tells the user, before work starts, which requirements are missing. */
export async function notePreflight(
  { loaded, paths, out }: Pick<SettingsContext, "loaded" | "paths" | "out">,
  about: Pick<PreflightOptions, "campaigns" | "hosts"> = {},
): Promise<void> {
  for (const finding of await preflight({ loaded, paths, ...about })) {
    out.note(`${finding.state === "note" ? "note" : "warning"}: ${findingText(finding)}`);
  }
}
