import { valueText } from "../data/safe-text.ts";

/** Log lines for display. Lines are JSON; a line that is not JSON is shown unchanged. */
export const levels = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof levels)[number];

export interface ShownLine {
  readonly key: string;
  readonly atMs: number | undefined;
  readonly level: string;
  readonly message: string;
  /** The other fields, as `key=value`. */
  readonly rest: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Equal lines may occur twice within a millisecond, so the key includes the index. */
export function readLine(text: string, index: number): ShownLine {
  const key = `${index} ${text.slice(0, 60)}`;
  try {
    const found = JSON.parse(text) as Record<string, unknown>;
    const { level, time, msg, ...fields } = found;
    const atMs = typeof time === "number" ? time : Date.parse(String(time));
    return {
      key,
      atMs: Number.isNaN(atMs) ? undefined : atMs,
      level: valueText(level),
      message: valueText(msg),
      rest: Object.entries(fields)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(" "),
      fields,
    };
  } catch {
    return { key, atMs: undefined, level: "", message: text, rest: "", fields: {} };
  }
}

/** A line without a level is always shown. */
export function isAtLeast({ level }: ShownLine, least: Level): boolean {
  const rank = levels.indexOf(level as Level);
  return rank === -1 || rank >= levels.indexOf(least);
}

const reasons: Readonly<Record<string, string>> = {
  fixed: "the number is fixed",
  event_loop_lag: "the process could not keep up",
  memory: "memory was short",
  errors: "most attempts failed",
  backlog: "all slots were busy and more tasks could run",
  at_max: "the settings allow no more",
  at_min: "the settings allow no fewer",
  gates: "tasks wait for their hosts, not for workers",
  idle: "some slots were idle",
  steady: "nothing had to change",
};

export interface ScalingDecision {
  readonly key: string;
  readonly atMs: number | undefined;
  readonly before: number;
  readonly after: number;
  readonly why: string;
  readonly worker: string;
}

export const scalingText = "concurrency decided";

/** A log line of the scaler about a change of concurrency. */
export function readDecision({
  key,
  atMs,
  message,
  fields,
}: ShownLine): ScalingDecision | undefined {
  if (message !== scalingText) return undefined;
  const { before, concurrency, reason, worker, name } = fields;
  return {
    key,
    atMs,
    before: Number(before),
    after: Number(concurrency),
    why: reasons[valueText(reason)] ?? valueText(reason),
    worker: valueText(worker ?? name),
  };
}
