import type { RowOf } from "../data/api.ts";
import { formatAmount, formatCount } from "../data/format.ts";
import { Sparkline } from "./sparkline.tsx";

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
