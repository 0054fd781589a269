const bars = "▁▂▃▄▅▆▇█";

/** The last values as bars, the highest of them being the tallest. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values
    .map((value) => {
      if (most === 0 || value <= 0) return bars[0];
      return bars[Math.min(bars.length - 1, Math.ceil((value / most) * bars.length) - 1)];
    })
    .join("");
}
