/** Nobody means more than that; what does is a mistake or a trap. */
const retryAfterMsMax = 30 * 86_400_000;

/** Seconds, or a date. undefined for anything else and for what is over. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return ms > 0 ? Math.min(ms, retryAfterMsMax) : undefined;
}
