import { AppError } from "../../base/app-error.ts";
import { readKnownSites } from "../publish/known-sites.ts";
import { openSiteTarget, provePrivate } from "../publish/site-target.ts";
import type { Paths } from "../../config/index.ts";
import type { Finding } from "./check.ts";

/**
 * Checks again that nobody else can read the private sites that were published from this folder.
 */
export async function checkSites(
  paths: Paths,
  signal: AbortSignal,
): Promise<readonly (Finding & { readonly check: string })[]> {
  const findings: (Finding & { readonly check: string })[] = [];
  for (const { target, mode } of readKnownSites(paths)) {
    if (mode !== "private" || !target.startsWith("s3://")) continue;
    const check = `site ${target}`;
    try {
      await using opened = await openSiteTarget(target, signal);
      const { state, detail } = await provePrivate(opened);
      const advice = "make the bucket private (block public access), or publish with --sealed";
      findings.push(state === "public" ? { check, state: "fail", detail, advice } : { check, state: "ok", detail }); // prettier-ignore
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      findings.push({ check, state: "warn", detail: error.message, advice: "its privacy could not be checked now" }); // prettier-ignore
    }
  }
  return findings;
}
