import type { ComponentChildren } from "preact";

interface ProgressProps {
  readonly done: number;
  readonly total: number;
  /** For screen readers. */
  readonly label: string;
  /** The same in words, next to the bar. */
  readonly children: ComponentChildren;
}

export function Progress({ done, total, label, children }: ProgressProps) {
  const percent = total === 0 ? 100 : Math.min(100, Math.round((100 * done) / total));
  return (
    <div class="progress">
      <span
        class="bar"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <i style={{ width: `${percent}%` }} />
      </span>
      <span class="dim">{children}</span>
    </div>
  );
}
