import { usageError } from "../../../../base/usage-error.ts";
import { readMoment } from "../../../../records/index.ts";
import { parseDuration } from "../../../options/duration.ts";

export interface MomentOptions {
  readonly nowMs: number;
  /** Whether `3d` means three days ago or in three days. */
  readonly direction: "past" | "future";
}

/**
 * Accepts `2026-11-20`, `2026-11-20T09:00:00Z`, `now`, or an offset from now such as `3d`. Returns
 * ISO 8601 in UTC.
 */
export function parseMoment(what: string, text: string, options: MomentOptions): string {
  const { nowMs, direction } = options;
  if (text === "now") return new Date(nowMs).toISOString();
  if (/^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text)) {
    const spanMs = parseDuration(what.replace(/^--/, ""), text);
    return new Date(direction === "past" ? nowMs - spanMs : nowMs + spanMs).toISOString();
  }
  const moment = readMoment(text);
  if (moment !== undefined) return moment;
  throw usageError(
    `${what} takes a moment such as 2026-11-20, 2026-11-20T09:00:00Z or 3d, not '${text}'`,
  );
}
