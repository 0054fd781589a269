import { AppError } from "../base/app-error.ts";
import { release, type HandlerOutcome } from "../worker/index.ts";

/**
 * Codes of errors that mean that this machine lacks something, although another one may have it.
 */
const lacking: ReadonlySet<string> = new Set([
  "no_campaign",
  "no_site",
  "places_file",
  "places_not_imported",
  "duckdb_missing",
  "osmium_missing",
]);

/**
 * Runs a step of a handler. If the node lacks the campaign or its places, the task goes back to the
 * queue for another node; it must not fail permanently because the wrong machine claimed it.
 */
export async function releaseIfLacking(
  step: () => Promise<HandlerOutcome>,
): Promise<HandlerOutcome> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof AppError) || !lacking.has(error.code)) throw error;
    return release(error.message);
  }
}
