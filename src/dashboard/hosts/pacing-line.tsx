import type { AnswerOf } from "../data/api.ts";
import { formatDuration, formatTime, plural } from "../data/format.ts";
import type { HostGate } from "./gate-state.ts";

type Pacing = AnswerOf<"GET", "/api/queue/gates/{gate}/pacing">;
type Outcome = Pacing["ends"][number]["outcome"];

export const outcomeTexts: Readonly<Record<Outcome, string>> = {
  done: "done",
  skipped: "skipped",
  failed: "failed",
  retry: "failed, will be retried",
  slow_down: "asked to slow down",
};

const colours: Readonly<Record<Outcome, string>> = {
  done: "--accent",
  skipped: "--tile-empty",
  failed: "--tile-failed",
  retry: "--tile-expired",
  slow_down: "--bad",
};

/** Size of the drawing in its own units; it is stretched to the width of the page. */
const width = 1_000;
const height = 56;

/** A timeline: each visit is a tick, a block is a band, and a bar shows the pause for scale. */
export function PacingLine({
  pacing,
  gate,
}: {
  readonly pacing: Pacing;
  readonly gate: HostGate | undefined;
}) {
  const { fromMs, nowMs, ends } = pacing;
  const blockMs = gate?.blockedForMs ?? 0;
  // A block extends into the future: a tenth of the line is reserved for it.
  const toMs = blockMs > 0 ? nowMs + (nowMs - fromMs) / 9 : nowMs;
  const xOf = (atMs: number) => (width * (atMs - fromMs)) / (toMs - fromMs);
  const shown = (Object.keys(colours) as Outcome[]).filter((one) =>
    ends.some(({ outcome }) => outcome === one),
  );
  const delayWidth = gate ? (width * gate.delayMs) / (toMs - fromMs) : 0;
  const counts = shown.map((one) => `${outcomeTexts[one]} ${ends.filter(({ outcome }) => outcome === one).length}`); // prettier-ignore
  return (
    <figure class="pacing">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${plural(ends.length, "visit")} since ${formatTime(fromMs)}: ${counts.join(", ")}`}
      >
        {blockMs > 0 && (
          <rect
            x={xOf(nowMs)}
            y={0}
            width={width - xOf(nowMs)}
            height={height}
            fill="var(--bad-soft)"
          />
        )}
        <line x1={0} x2={width} y1={height - 8} y2={height - 8} stroke="var(--line)" />
        {shown.map((outcome) => (
          <path
            key={outcome}
            d={ends
              .filter((end) => end.outcome === outcome)
              .map(
                ({ atMs }) =>
                  `M${xOf(atMs).toFixed(2)} ${outcome === "slow_down" ? 4 : 16}V${height - 8}`,
              ) // prettier-ignore
              .join("")}
            stroke={`var(${colours[outcome]})`}
            stroke-width={outcome === "slow_down" ? 3 : 1.5}
            vector-effect="non-scaling-stroke"
            fill="none"
          />
        ))}
        {delayWidth >= 2 && (
          <path
            d={`M1 ${height - 1}H${Math.min(width, delayWidth).toFixed(2)}`}
            stroke="var(--dim)"
            stroke-width={2}
            vector-effect="non-scaling-stroke"
          />
        )}
      </svg>
      <figcaption class="legend">
        <span>{formatTime(fromMs)}</span>
        {shown.map((outcome) => (
          <span key={outcome}>
            <i style={{ background: `var(${colours[outcome]})` }} />
            {outcomeTexts[outcome]}
          </span>
        ))}
        {blockMs > 0 && (
          <span>
            <i style={{ background: "var(--bad-soft)" }} />
            blocked for {formatDuration(blockMs)} more
          </span>
        )}
        {gate && gate.delayMs > 0 && (
          <span>
            {delayWidth >= 2 && <i class="scale" />}
            asked pause {formatDuration(gate.delayMs)}
          </span>
        )}
        <span class="sp" />
        {blockMs === 0 && <span>now</span>}
      </figcaption>
    </figure>
  );
}
