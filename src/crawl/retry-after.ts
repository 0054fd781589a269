/** No site means more than this; larger values are mistakes or traps. */
const retryAfterMsMax = 30 * 86_400_000;

/** Parses seconds or a date. undefined for anything else and for a time in the past. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return ms > 0 ? Math.min(ms, retryAfterMsMax) : undefined;
}
