import { usageError } from "../../base/usage-error.ts";

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Accepts `500ms`, `30s`, `5m`, `2h`, `7d`, `1.5h`, `0`. A number without a unit would be
 * ambiguous.
 */
export function parseDuration(flag: string, text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const durationMs = text === "0" ? 0 : Math.round(Number(amount) * (unitsMs[unit ?? ""] ?? NaN));
  if (Number.isSafeInteger(durationMs)) return durationMs;
  throw usageError(`--${flag} takes a time such as 500ms, 30s, 5m, 2h or 7d, not '${text}'`);
}
