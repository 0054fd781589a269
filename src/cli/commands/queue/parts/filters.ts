import { AppError } from "../../../../base/app-error.ts";
import { usageError } from "../../../../base/usage-error.ts";
import { nearestHint } from "../../../../base/text/nearest.ts";
import type { Queue, TaskState } from "../../../../queue/index.ts";
import type { Flags, OptionSpec } from "../../../frame/command.ts";
import { listFlag, textFlag } from "../../../options/flags.ts";

/** Selects tasks by job, gate and kind. */
export interface LaneFilter {
  readonly job?: string;
  readonly kind?: string;
  readonly gate?: string;
}

export const laneOptions: readonly OptionSpec[] = [
  { flag: "--job", value: "name", summary: "only tasks of this job" },
  { flag: "--kind", value: "name", summary: "only tasks of this kind" },
  { flag: "--gate", value: "name", summary: "only tasks behind this gate ('' for no gate)" },
];

export const errorOption: OptionSpec = {
  flag: "--error",
  value: "text",
  summary: "only tasks whose last error contains this text or is in this group",
};

export function readLaneFilter(flags: Flags): LaneFilter {
  const [job, kind, gate] = ["job", "kind", "gate"].map((name) => textFlag(flags, name));
  return {
    ...(job === undefined ? {} : { job }),
    ...(kind === undefined ? {} : { kind }),
    ...(gate === undefined ? {} : { gate }),
  };
}

export function stateOption(states: readonly TaskState[], fallback: string): OptionSpec {
  return {
    flag: "--state",
    value: "state",
    summary: `only these of ${states.join(", ")}; may be repeated (default: ${fallback})`,
    isRepeated: true,
    complete: states,
  };
}

/** Undefined if the flag was not given. */
export function readStates<State extends TaskState>(
  flags: Flags,
  allowed: readonly State[],
): readonly State[] | undefined {
  return listFlag(flags, "state")?.map((text) => {
    const state = allowed.find((one) => one === text);
    if (state !== undefined) return state;
    const hint = nearestHint(text, allowed, (close) => ` (the nearest is ${close})`);
    throw usageError(`--state takes ${allowed.join(", ")}, not '${text}'${hint}`);
  });
}

/** Parses the id of a task as `queue list` shows it. */
export function parseId(what: string, text: string): number {
  const id = Number(text);
  if (/^\d+$/.test(text) && id >= 1 && Number.isSafeInteger(id)) return id;
  throw usageError(`${what} takes the number of a task, not '${text}': see \`forager queue list\``);
}

/** Without this check, a misspelt job would look like a job without tasks. */
export async function requireJob(queue: Queue, name: string): Promise<void> {
  if (await queue.job(name)) return;
  throw await noSuchJob(queue, name);
}

/** A job can be deleted while its tasks are still in the log. */
export async function requireJobOrEntry(queue: Queue, name: string): Promise<void> {
  if (await queue.job(name)) return;
  if ((await queue.log({ job: name, limit: 1 })).length === 0) throw await noSuchJob(queue, name);
}

export async function noSuchJob(queue: Queue, name: string): Promise<AppError> {
  const names = (await queue.jobs()).map((job) => job.name);
  const hint =
    names.length === 0
      ? "this queue has none"
      : `${nearestHint(name, names, (close) => `the nearest is '${close}', `)}\`forager queue jobs\` lists them`;
  return new AppError("invalid", "no_such_job", `there is no job '${name}': ${hint}`);
}

export function noSuchTask(id: number): AppError {
  const message = `there is no task ${id}: it was never added, or was pruned from the log`;
  return new AppError("invalid", "no_such_task", message);
}

export function parsePriority(text: string): number {
  const priority = Number(text);
  if (/^\d+$/.test(text) && priority <= 1_000) return priority;
  throw usageError(`--priority takes a whole number from 0 to 1000, not '${text}'`);
}
