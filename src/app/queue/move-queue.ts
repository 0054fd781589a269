import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { gateDefaults, type Job, type Queue, type TaskInput } from "../../queue/index.ts";
import { openOrMakeQueue } from "./configured-queue.ts";
import { openQueue } from "./open-queue.ts";
import { locateQueue } from "./queue-address.ts";

export interface MoveQueueOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  /** The SQLite file from which tasks move to the configured queue. */
  readonly file: string;
  readonly clock: Clock;
  readonly onTotal?: (tasks: number) => void;
  readonly onTasks?: (count: number) => void;
}

export interface MovedQueue {
  readonly moved: number;
  /** Tasks that the other queue had already, from an earlier call. */
  readonly duplicate: number;
  /** Tasks that the other queue currently refuses. */
  readonly refused: number;
  /** Failed tasks; they are not moved. */
  readonly failed: number;
  /** The new name of the old file; undefined if it was not renamed because tasks were refused. */
  readonly keptAs: string | undefined;
}

const pageTasks = 500;

/**
 * Copies unfinished tasks with their jobs and gates from a local queue file to the configured
 * queue, then renames the file. Nothing is removed from the file. An interrupted call can be
 * repeated, because tasks are identified by their keys.
 */
export async function moveQueue(options: MoveQueueOptions): Promise<MovedQueue> {
  const { settings, paths, file, clock } = options;
  if (!existsSync(file)) {
    throw new AppError("invalid", "no_queue", `there is no queue file ${file}`);
  }
  if (locateQueue(settings.queue.url, paths).file === file) {
    const message = `${file} is the configured queue: set bucket.url or queue.url to another one first`;
    throw new AppError("invalid", "queue_move_same", message);
  }
  const counts = await copyAll(options);
  if (counts.refused > 0) return { ...counts, keptAs: undefined };
  const day = new Date(clock.nowMs()).toISOString().replaceAll(/[:.]/g, "-");
  const keptAs = `${file}.moved-${day}`;
  await rename(file, keptAs);
  return { ...counts, keptAs };
}

async function copyAll(options: MoveQueueOptions) {
  const { file, onTotal = () => {}, onTasks = () => {} } = options;
  await using from = await openQueue(`sqlite:${file}`);
  await from.sweep();
  const { states } = await from.stats();
  if (states.running > 0) throw stillRunning(states.running, file);
  await using to = await openOrMakeQueue({ settings: options.settings, paths: options.paths });
  onTotal(states.pending);
  const jobs = (await from.jobs()).filter(({ pending }) => pending > 0);
  for (const job of jobs) await openSameJob(to, job);
  for (const { name, delayMs, limit } of await from.gates()) {
    const isDefault = delayMs === gateDefaults.delayMs && limit === gateDefaults.limit;
    if (!isDefault && !(await to.gate(name))) await to.setGate(name, { delayMs, limit });
  }
  const counts = { moved: 0, duplicate: 0, refused: 0, failed: states.failed };
  for (let afterId = 0; ;) {
    const page = await from.browse({ states: ["pending"], afterId, limit: pageTasks });
    if (page.length === 0) break;
    afterId = page.at(-1)!.id;
    const tasks = page.map(({ kind, job, gate, key, payload, priority, dueAtMs, attemptsMax }) => {
      const task = { kind, job, gate, key, priority, dueAtMs, attemptsMax };
      return { ...task, payload: JSON.parse(payload) as unknown } satisfies TaskInput;
    });
    for (const { status } of await to.add(tasks)) {
      if (status === "added") counts.moved += 1;
      else if (status === "duplicate") counts.duplicate += 1;
      else counts.refused += 1;
    }
    onTasks(page.length);
  }
  for (const { name, isSealed } of jobs) if (isSealed && counts.refused === 0) await to.seal(name);
  return counts;
}

async function openSameJob(to: Queue, job: Job): Promise<void> {
  if (await to.job(job.name)) return;
  const { concurrency, budget, gate } = job;
  await to.openJob(job.name, {
    ...(concurrency !== null && { concurrency }),
    ...(budget !== null && { budget }),
    ...(gate !== "" && { gate }),
  });
  if (job.isPaused) await to.pause(job.name);
}

const stillRunning = (count: number, file: string) =>
  new AppError(
    "conflict",
    "queue_busy",
    `workers hold ${count} tasks of ${file}: stop them first; if they were killed, wait a minute`,
  );
