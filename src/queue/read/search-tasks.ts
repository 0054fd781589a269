import type { Gate } from "../gate.ts";
import type { Job } from "../job.ts";
import type { BrowseQuery, StoreNow } from "../queue-store.ts";
import type { Queue } from "../queue.ts";
import { failureGroup } from "./failure-groups.ts";
import { lastReason, type Task } from "../task.ts";
import { waitingReason, type Waiting, type WaitingReason } from "../waiting.ts";

/** Filters that no backend has an index for: tasks are read and compared here. */
export interface TaskSearch extends Partial<BrowseQuery> {
  /** Only pending tasks that wait for this reason. */
  readonly waits?: WaitingReason;
  /** Only tasks whose last error contains this text or is in this failure group. */
  readonly error?: string;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  /** Pass it as `afterId` to continue; undefined: there are no more. */
  readonly nextId: number | undefined;
}

const pageSize = 500;
/** The most tasks compared in one search. With more, a page would take too long. */
const scannedMax = 20_000;
const readsAtOnce = 20;

/**
 * Matching tasks in order of id, at most `limit`. A page may have fewer tasks and still a `nextId`,
 * because a search compares at most 20,000 tasks.
 */
export async function searchTasks(queue: Queue, search: TaskSearch): Promise<TaskPage> {
  const { waits, error, limit = 100, ...query } = search;
  if (waits === undefined && error === undefined) {
    const tasks = await queue.browse({ ...query, limit });
    return { tasks, nextId: tasks.length === limit ? tasks.at(-1)!.id : undefined };
  }
  const isNever = waits !== undefined && query.states?.includes("pending") === false;
  if (isNever) return { tasks: [], nextId: undefined };
  const reader = createWaitingReader(queue);
  const tasks: Task[] = [];
  let { afterId = 0 } = query;
  for (let scanned = 0; scanned < scannedMax; scanned += pageSize) {
    const states = waits === undefined ? {} : { states: ["pending"] as const };
    const page = await queue.browse({ ...query, ...states, afterId, limit: pageSize });
    const reasons = waits === undefined ? undefined : await reader.read(page);
    for (const task of page) {
      if (waits !== undefined && reasons?.get(task.id)?.reason !== waits) continue;
      if (error !== undefined && !hasError(task, error)) continue;
      tasks.push(task);
      if (tasks.length === limit) return { tasks, nextId: task.id };
    }
    if (page.length < pageSize) return { tasks, nextId: undefined };
    afterId = page.at(-1)!.id;
  }
  return { tasks, nextId: afterId };
}

function hasError(task: Pick<Task, "state" | "attempts">, error: string): boolean {
  const reason = lastReason(task);
  if (reason === "") return false;
  return (
    failureGroup(reason) === error || reason.toLowerCase().includes(error.toLowerCase().trim())
  );
}

export interface WaitingReader {
  /** By id, why each pending task of a page waits. */
  read(tasks: readonly Task[]): Promise<ReadonlyMap<number, Waiting>>;
}

/** Reads each job and each gate once. */
export function createWaitingReader(queue: Pick<Queue, "now" | "job" | "gate">): WaitingReader {
  const jobs = new Map<string, Job | undefined>();
  const gates = new Map<string, Gate | undefined>();
  let now: StoreNow | undefined;
  return {
    async read(tasks) {
      now ??= await queue.now();
      const pending = tasks.filter(({ state }) => state === "pending");
      await readNew(
        jobs,
        pending.map(({ job }) => job),
        (name) => queue.job(name),
      );
      const named = pending.flatMap(({ gate }) => (gate === "" ? [] : [gate]));
      await readNew(gates, named, (name) => queue.gate(name));
      return new Map(
        pending.map((task) => {
          const job = jobs.get(task.job) ?? openJob;
          return [task.id, waitingReason(task, gates.get(task.gate), job, now!)] as const;
        }),
      );
    },
  };
}

/** The default for a job that was deleted meanwhile: it does not block its tasks. */
const openJob = { isPaused: false, ended: null, concurrency: null, slots: 0 };

async function readNew<T>(
  known: Map<string, T>,
  names: readonly string[],
  read: (name: string) => Promise<T>,
): Promise<void> {
  const lacking = [...new Set(names)].filter((name) => !known.has(name));
  for (let from = 0; from < lacking.length; from += readsAtOnce) {
    const some = lacking.slice(from, from + readsAtOnce);
    const found = await Promise.all(some.map(read));
    for (const [at, name] of some.entries()) known.set(name, found[at]!);
  }
}
