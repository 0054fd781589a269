import type { RowOf } from "../data/api.ts";
import { formatAmount, formatCount } from "../data/format.ts";

/** How much was done lately: starts over time, their number, and how many ran at once. */
export function Busy({ activity }: { readonly activity: RowOf<"/api/queue/activity"> }) {
  const { starts, busy } = activity;
  const count = starts.reduce((sum, one) => sum + one, 0);
  return (
    <span class="busy">
      <Sparkline counts={starts} /> {formatCount(count)}
      <small class="dim">{formatAmount(Math.round(100 * busy) / 100)} at once</small>
    </span>
  );
}

const width = 96;
const height = 20;

/** A small picture of counts over time. Its numbers stand beside it, so readers do not hear it. */
function Sparkline({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  const xOf = (at: number) => ((width * at) / Math.max(1, counts.length - 1)).toFixed(1);
  const yOf = (count: number) => (height - 1 - ((height - 2) * count) / most).toFixed(1);
  const line = counts
    .map((count, at) => `${at === 0 ? "M" : "L"}${xOf(at)} ${yOf(count)}`)
    .join("");
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden>
      <path d={`${line}L${width} ${height}L0 ${height}Z`} fill="var(--accent-soft)" />
      <path d={line} fill="none" stroke="var(--accent)" stroke-width={1.3} />
    </svg>
  );
}
