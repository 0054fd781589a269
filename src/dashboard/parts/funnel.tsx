import { formatCount, formatShare } from "../data/format.ts";

export interface FunnelStep {
  readonly label: string;
  readonly count: number;
  /** The total for the share that is shown. */
  readonly of?: number;
  /** Shows `of 540` instead of a share. */
  readonly isTotalShown?: boolean;
  /** The length of the bar, 0 to 1. */
  readonly bar: number;
  readonly href: string;
}

/** The path from searched tiles to leads. Each number links to its list. */
export function Funnel({
  steps,
  label,
}: {
  readonly steps: readonly FunnelStep[];
  readonly label: string;
}) {
  return (
    <ol class="funnel" aria-label={label}>
      {steps.map(({ label: name, count, of, isTotalShown, bar, href }) => (
        <li key={name}>
          <a href={href}>
            <small>{name}</small>
            <strong>{formatCount(count)}</strong>{" "}
            {of !== undefined && (
              <span class="dim">
                {isTotalShown ? `of ${formatCount(of)}` : formatShare(count, of)}
              </span>
            )}
            <span class="bar">
              <i style={{ width: `${Math.round(100 * Math.min(1, Math.max(0, bar)))}%` }} />
            </span>
          </a>
        </li>
      ))}
    </ol>
  );
}
