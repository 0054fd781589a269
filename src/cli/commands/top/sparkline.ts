const bars = "▁▂▃▄▅▆▇█";

/** Draws the values as bars; the maximum has the full height. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values
    .map((value) => {
      if (most === 0 || value <= 0) return bars[0];
      return bars[Math.min(bars.length - 1, Math.ceil((value / most) * bars.length) - 1)];
    })
    .join("");
}
