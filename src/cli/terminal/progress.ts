import type { Clock, Timer } from "../../base/clock.ts";
import type { ProgressHandle } from "../../base/progress-handle.ts";
import { terminalWidth, type TextStream } from "./output.ts";
import { toOneLine } from "../../base/text/terminal-text.ts";
import { cutToWidth } from "./text-width.ts";

/**
 * Shows the progress of a long command on stderr: on a terminal one line that is redrawn, elsewhere
 * a plain line from time to time (so that logs of services stay readable), with --quiet nothing.
 * One task at a time: call `start` again only after `done`.
 */
export interface Progress {
  /** True if the line is redrawn. */
  readonly isTerminal: boolean;
  start(task: ProgressTask): ProgressHandle;
}

export interface ProgressTask {
  readonly label: string;
  /** Absent if unknown: then there is no bar and no remaining time. */
  readonly total?: number;
  /** Bytes are shown as MB. */
  readonly unit?: "bytes";
}

export interface ProgressOptions {
  readonly stderr: TextStream;
  readonly clock: Clock;
  readonly isQuiet: boolean;
}

const redrawMs = 100;
const plainLineMs = 5_000;
const barWidth = 20;

export function createProgress({ stderr, clock, isQuiet }: ProgressOptions): Progress {
  const isTerminal = stderr.isTTY === true;
  const periodMs = isTerminal ? redrawMs : plainLineMs;

  return {
    isTerminal: isTerminal && !isQuiet,
    start(task) {
      const startedAtMs = clock.monotonicMs();
      let count = 0;
      let total = task.total;
      let note = "";
      let isDone = isQuiet;
      // Nothing is drawn yet; on a terminal the first change is shown at once.
      let drawnAtMs = isTerminal ? -Infinity : startedAtMs;
      let timer: Timer | undefined;

      const draw = () => {
        drawnAtMs = clock.monotonicMs();
        const elapsedMs = drawnAtMs - startedAtMs;
        const known = total === undefined ? {} : { total };
        const line = formatProgress({ ...task, ...known, count, note, elapsedMs });
        if (!isTerminal) return void stderr.write(`${line}\n`);
        // One column stays empty: some terminals wrap when the last column is written.
        stderr.write(`\r${cutToWidth(line, terminalWidth(stderr)! - 1)}\u001b[K`);
      };
      // Redraw periodically and not per change, so that the elapsed time advances even if the work
      // stalls.
      const tick = () => {
        timer = clock.setTimer(periodMs, () => (draw(), tick()), { background: true });
      };
      const changed = () => {
        if (!isDone && clock.monotonicMs() - drawnAtMs >= periodMs) {
          timer?.cancel();
          draw();
          tick();
        }
      };
      if (!isDone) {
        tick();
        if (isTerminal) changed();
      }

      return {
        advance(step = 1) {
          count += step;
          changed();
        },
        setTotal(known) {
          total = known;
        },
        note(text) {
          note = toOneLine(text);
          changed();
        },
        done(summary) {
          if (isDone) return;
          timer?.cancel();
          note = summary === undefined ? "" : toOneLine(summary);
          draw();
          if (isTerminal) stderr.write("\n");
          isDone = true;
        },
      };
    },
  };
}

interface ProgressState extends ProgressTask {
  readonly count: number;
  readonly note: string;
  readonly elapsedMs: number;
}

function formatProgress(state: ProgressState): string {
  const { label, total, unit, count, note, elapsedMs } = state;
  const perSecond = elapsedMs > 0 ? (count * 1_000) / elapsedMs : 0;
  const amount = (value: number) => (unit === "bytes" ? formatMegabytes(value) : String(value));
  const rounded = perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
  const rate = `${unit === "bytes" ? formatMegabytes(perSecond) : rounded}/s`;
  const parts = [label];
  if (total === undefined) parts.push(amount(count), rate);
  else {
    const share = total > 0 ? Math.min(1, count / total) : 1;
    const filled = Math.floor(share * barWidth);
    parts.push(`[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`);
    parts.push(`${amount(count)}/${amount(total)}`, `${Math.floor(share * 100)}%`, rate);
    if (count > 0 && count < total) parts.push(`${formatSpan((total - count) / perSecond)} left`);
  }
  parts.push(formatSpan(elapsedMs / 1_000));
  return note ? `${parts.join(" ")} · ${note}` : parts.join(" ");
}

const formatMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)}MB`;

/** Formats such as 42s, 3m05s, 2h07m. */
function formatSpan(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  const whole = Math.round(seconds);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  if (whole < 60) return `${whole}s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}m${twoDigits(whole % 60)}s`;
  return `${Math.floor(whole / 3_600)}h${twoDigits(Math.floor((whole % 3_600) / 60))}m`;
}
