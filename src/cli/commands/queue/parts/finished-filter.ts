import type { FinishedInput, Queue, TerminalState } from "../../../../queue/index.ts";
import type { Flags, OptionSpec } from "../../../frame/command.ts";
import { parseDuration } from "../../../options/duration.ts";
import { listFlag, textFlag } from "../../../options/flags.ts";
import { laneOptions, parseId, readLaneFilter, readStates, stateOption } from "./filters.ts";

export const finishedOptions = (
  states: readonly TerminalState[],
  fallback: string,
): readonly OptionSpec[] => [
  stateOption(states, fallback),
  ...laneOptions,
  { flag: "--id", value: "id", summary: "only this task; may be repeated", isRepeated: true },
  {
    flag: "--older-than",
    value: "time",
    summary: "only tasks that finished longer ago than this, such as 7d",
  },
  { flag: "--yes", summary: "do not ask" },
  { flag: "--dry-run", summary: "only count" },
];

/** The values of the flags, checked before the queue is opened. */
export interface FinishedFlags {
  readonly states: readonly TerminalState[] | undefined;
  readonly olderThanMs: number | undefined;
  readonly rest: Omit<FinishedInput, "states" | "finishedBeforeMs">;
}

export function readFinishedFlags(flags: Flags, allowed: readonly TerminalState[]): FinishedFlags {
  const olderThan = textFlag(flags, "olderThan");
  const ids = listFlag(flags, "id")?.map((text) => parseId("--id", text));
  return {
    states: readStates(flags, allowed),
    olderThanMs: olderThan === undefined ? undefined : parseDuration("older-than", olderThan),
    rest: { ...readLaneFilter(flags), ...(ids === undefined ? {} : { ids }) },
  };
}

/** Relative times count from the queue's own clock, which wrote the finish times. */
export async function finishedBefore(
  queue: Queue,
  ageMs: number | undefined,
): Promise<{ readonly finishedBeforeMs?: number }> {
  if (ageMs === undefined) return {};
  return { finishedBeforeMs: Math.max(0, (await queue.now()).ms - ageMs) };
}
