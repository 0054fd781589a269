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
const height = 84;
/** The row of starts, and below it the row of ends. */
const starts = { top: 6, bottom: 36 };
const ends = { top: 46, bottom: height - 8 };

/** Whether a start came sooner after the one before than was asked. Times are rounded to 1 ms. */
export const isEarly = ({ gapMs, delayMs }: Pacing["starts"][number]) =>
  gapMs !== null && gapMs + 1 < delayMs;

/**
 * A timeline: a tick for each request in the upper row, for each end of a visit in the lower row, a
 * band for each wait that the host asked for, and a bar that shows the pause for scale.
 */
export function PacingLine({
  pacing,
  gate,
}: {
  readonly pacing: Pacing;
  readonly gate: HostGate | undefined;
}) {
  const { fromMs, nowMs } = pacing;
  const blockMs = gate?.blockedForMs ?? 0;
  // A block extends into the future: a tenth of the line is reserved for it.
  const toMs = blockMs > 0 ? nowMs + (nowMs - fromMs) / 9 : nowMs;
  const xOf = (atMs: number) => (width * (atMs - fromMs)) / (toMs - fromMs);
  const ticks = (times: readonly number[], from: number, to: number) =>
    times.map((atMs) => `M${xOf(atMs).toFixed(2)} ${from}V${to}`).join("");
  const band = (fromAtMs: number, untilMs: number) => {
    const x = Math.max(0, xOf(fromAtMs));
    return { x, width: Math.max(1, Math.min(width, xOf(untilMs)) - x) };
  };
  const shown = (Object.keys(colours) as Outcome[]).filter((one) =>
    pacing.ends.some(({ outcome }) => outcome === one),
  );
  const delayWidth = gate ? (width * gate.delayMs) / (toMs - fromMs) : 0;
  const counts = shown.map((one) => `${outcomeTexts[one]} ${pacing.ends.filter(({ outcome }) => outcome === one).length}`); // prettier-ignore
  const early = pacing.starts.filter(isEarly);
  return (
    <figure class="pacing">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Since ${formatTime(fromMs)}: ${plural(pacing.starts.length, "request")}, ${early.length} too early, ${plural(pacing.waits.length, "wait")} that the host asked for; ${plural(pacing.ends.length, "visit")} ended: ${counts.join(", ")}`}
      >
        {pacing.waits.map(({ fromMs: begin, untilMs }) => (
          <rect key={begin} {...band(begin, untilMs)} y={0} height={height} fill="var(--warn-soft)" /> // prettier-ignore
        ))}
        {blockMs > 0 && (
          <rect {...band(nowMs, toMs)} y={0} height={height} fill="var(--bad-soft)" />
        )}
        <line x1={0} x2={width} y1={starts.bottom} y2={starts.bottom} stroke="var(--line)" />
        <line x1={0} x2={width} y1={ends.bottom} y2={ends.bottom} stroke="var(--line)" />
        <Ticks
          d={ticks(
            pacing.starts.filter((one) => !isEarly(one)).map(({ atMs }) => atMs),
            starts.top,
            starts.bottom,
          )}
          colour="--ink"
        />
        <Ticks
          d={ticks(
            early.map(({ atMs }) => atMs),
            0,
            starts.bottom,
          )}
          colour="--bad"
          width={3}
        />{" "}
        {/* prettier-ignore */}
        {shown.map((outcome) => (
          <Ticks
            key={outcome}
            d={ticks(
              pacing.ends.filter((end) => end.outcome === outcome).map(({ atMs }) => atMs),
              outcome === "slow_down" ? ends.top - 6 : ends.top,
              ends.bottom,
            )}
            colour={colours[outcome]}
            width={outcome === "slow_down" ? 3 : 1.5}
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
        {pacing.starts.length > 0 && <Key colour="--ink" text="request sent" />}
        {early.length > 0 && <Key colour="--bad" text="sent too early" />}
        {shown.map((outcome) => (
          <Key key={outcome} colour={colours[outcome]} text={`ended: ${outcomeTexts[outcome]}`} />
        ))}
        {pacing.waits.length > 0 && <Key colour="--warn-soft" text="Retry-After of the host" />}
        {blockMs > 0 && (
          <Key colour="--bad-soft" text={`blocked for ${formatDuration(blockMs)} more`} />
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

interface TicksProps {
  readonly d: string;
  readonly colour: string;
  readonly width?: number;
}

const Ticks = ({ d, colour, width: stroke = 1.5 }: TicksProps) =>
  d === "" ? null : (
    <path
      d={d}
      stroke={`var(${colour})`}
      stroke-width={stroke}
      vector-effect="non-scaling-stroke"
      fill="none"
    />
  );

const Key = ({ colour, text }: { readonly colour: string; readonly text: string }) => (
  <span>
    <i style={{ background: `var(${colour})` }} />
    {text}
  </span>
);
