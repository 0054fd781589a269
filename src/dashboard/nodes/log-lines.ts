import { valueText } from "../data/safe-text.ts";

/** Log lines as people read them. Every line is JSON; one that is not is shown as it is. */
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

/** The same line may come twice within a millisecond: the place in the answer tells them apart. */
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
  backlog: "all were busy and more could run",
  at_max: "it is the most that settings allow",
  at_min: "it is the least that settings allow",
  gates: "what waits, waits for its hosts",
  idle: "some had nothing to do",
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

/** What the scaler logged when it changed its mind. */
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
