import { AppError, assert } from "../../../../base/app-error.ts";
import { countTasks, formatCount } from "../../../../base/text/count-words.ts";
import type { FinishedInput, Queue, TerminalState } from "../../../../queue/index.ts";
import type { CommandOutcome, SettingsContext } from "../../../frame/command.ts";
import { browseAll } from "../../../../queue/index.ts";
import { noSuchTask, requireJob, requireJobOrEntry } from "./filters.ts";

/**
 * The common steps of `retry` and `purge`: find and count tasks, ask, and change them in chunks.
 */
export interface FinishedChange {
  readonly queue: Queue;
  /** The filters are applied in turn; no task matches two of them. */
  readonly filters: readonly FinishedSelection[];
  readonly isDryRun: boolean;
  /** True if the operation also changes tasks that are only in the log. */
  readonly reachesLog?: boolean;
  readonly words: {
    /** The label of the progress bar, such as `retry`. */
    readonly label: string;
    /** The question, such as `make 3 tasks pending again`. */
    readonly plan: (tasks: string) => string;
    /** The result, such as `3 tasks are pending again`. */
    readonly result: (tasks: string) => string;
  };
  /** Also called with 0, because the operation may change more than tasks. */
  readonly mustAsk: (count: number) => boolean;
  readonly change: (
    filter: FinishedSelection,
    onProgress: (changed: number) => void,
  ) => Promise<number>;
}

export type FinishedSelection = FinishedInput & { readonly states: readonly TerminalState[] };

/** The question counts at most this many tasks, because counting more takes too long. */
const askedCountMax = 10_000;
/** Fewer tasks are changed so fast that no progress bar is needed. */
const quietTasksMax = 5_000;

export async function changeFinished(
  context: SettingsContext,
  wanted: FinishedChange,
): Promise<CommandOutcome> {
  const { out, flags, confirm } = context;
  const { queue, filters, isDryRun, words, reachesLog = false } = wanted;
  for (const filter of filters) {
    const { job } = filter;
    if (job !== undefined) await (reachesLog ? requireJobOrEntry : requireJob)(queue, job);
    await checkIds(queue, filter, reachesLog);
  }
  const { count, isMore } = await countFinished(
    queue,
    filters,
    isDryRun ? Infinity : askedCountMax,
  );
  const tasks = isMore ? `${formatCount(count)} or more tasks` : countTasks(count);
  if (isDryRun) {
    return out.result({ isDryRun: true, matching: count }, `would ${words.plan(tasks)}`);
  }
  if (wanted.mustAsk(count)) {
    if (!(await confirm(`${words.plan(tasks)}?`, { yes: flags["yes"] === true }))) {
      out.note("nothing was changed");
      return "failed";
    }
  }
  const changed = count === 0 ? 0 : await changeAll(context, wanted, isMore ? undefined : count);
  out.result({ changed }, words.result(countTasks(changed)));
}

async function changeAll(
  { progress, signal, out }: SettingsContext,
  { filters, words, change }: FinishedChange,
  total: number | undefined,
): Promise<number> {
  const isQuick = total !== undefined && total <= quietTasksMax;
  const bar = isQuick
    ? undefined
    : progress.start({ label: words.label, ...(total === undefined ? {} : { total }) });
  let changed = 0;
  try {
    for (const filter of filters) {
      const before = changed;
      await change(filter, (soFar) => {
        bar?.advance(before + soFar - changed);
        changed = before + soFar;
        // Stop only between two chunks, where no change is half done.
        if (signal.aborted) throw new AppError("aborted", "stopped", "stopped between two chunks");
      });
    }
    return changed;
  } catch (error) {
    if (signal.aborted) {
      out.note(`stopped: ${words.result(countTasks(changed))}; run it again for the rest`);
    }
    throw error;
  } finally {
    bar?.done();
  }
}

/** Checks task ids that were given: if one of them does not match, nothing is changed. */
async function checkIds(
  queue: Queue,
  { ids = [], states }: FinishedSelection,
  reachesLog: boolean,
): Promise<void> {
  for (const id of ids) {
    const task = (await queue.show(id))?.task;
    const entry = task ? undefined : await queue.logEntry(id);
    if (entry && !reachesLog) throw onlyInLog(id);
    const found = task ?? entry;
    if (!found) throw noSuchTask(id);
    const { state } = found;
    if (states.some((wanted) => wanted === state)) continue;
    throw new AppError(
      "invalid",
      "wrong_state",
      `task ${id} is ${state}, which is none of ${states.join(", ")}; nothing was changed`,
    );
  }
}

const onlyInLog = (id: number) =>
  new AppError(
    "invalid",
    "task_in_log",
    `task ${id} is only in the log, without its payload: add it again ` +
      `(\`forager queue purge --id ${id} --yes\` frees its key)`,
  );

async function countFinished(
  queue: Queue,
  filters: readonly FinishedSelection[],
  countMax: number,
) {
  let count = 0;
  for (const { ids, finishedBeforeMs = Infinity, ...query } of filters) {
    if (ids) {
      assert(filters.length === 1, "a filter by id stands alone");
      return { count: await countIds(queue, ids, { finishedBeforeMs, ...query }), isMore: false };
    }
    for await (const task of browseAll(queue, query)) {
      if (task.finishedAtMs >= finishedBeforeMs) continue;
      if (count === countMax) return { count, isMore: true };
      count += 1;
    }
  }
  return { count, isMore: false };
}

async function countIds(
  queue: Queue,
  ids: readonly number[],
  { job, kind, gate, finishedBeforeMs }: Omit<FinishedInput, "ids">,
): Promise<number> {
  let count = 0;
  for (const id of new Set(ids)) {
    const task = (await queue.show(id))?.task;
    const isMatch =
      task !== undefined &&
      [job ?? task.job, kind ?? task.kind, gate ?? task.gate].join("\0") ===
        [task.job, task.kind, task.gate].join("\0") &&
      task.finishedAtMs < (finishedBeforeMs ?? Infinity);
    if (isMatch) count += 1;
  }
  return count;
}
