/** The two largest units that matter: `450ms`, `12s`, `3m05s`, `2h07m`, `7d02h`. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < 1_000) return `${ms}ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const pair = (size: number, [large, small]: readonly [string, string], smallSize: number) =>
    `${Math.floor(seconds / size)}${large}` +
    `${String(Math.floor((seconds % size) / smallSize)).padStart(2, "0")}${small}`;
  if (seconds < 3_600) return pair(60, ["m", "s"], 1);
  if (seconds < 86_400) return pair(3_600, ["h", "m"], 60);
  return pair(86_400, ["d", "h"], 3_600);
}

/** UTC to the second, so that lines sort by time and all machines write the same. */
export const formatMoment = (atMs: number): string => {
  const at = new Date(atMs);
  return Number.isNaN(at.getTime()) ? "?" : `${at.toISOString().slice(0, 19)}Z`;
};
