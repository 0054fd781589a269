import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openQueue } from "../../app/index.ts";
import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { Queue, QueueStats, Task, WaitingReason } from "../../queue/index.ts";
import type { ProgressHandle } from "../progress.ts";
import { createCrew } from "./crew.ts";
import type { DemoWorkerSettings } from "./demo-worker.ts";
import { judge, type Verdict } from "./judge.ts";
import { fatalPage, fillQueue, pausedJob, planTasks } from "./scenario.ts";
import type { DemoKinds } from "./scenario.ts";
import { readVisitLogs, type VisitEvent } from "./visit-log.ts";

export interface DemoOptions {
  readonly folder: string;
  readonly size: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly startProgress: (total: number) => ProgressHandle;
  readonly note: (text: string) => void;
  /** Called once, when there is much to see. */
  readonly showReasons: (stats: QueueStats) => void;
}

export interface DemoResult {
  readonly tasks: number;
  readonly elapsedMs: number;
  readonly workers: readonly string[];
  readonly killed: string;
  /** The most tasks that waited for each reason at any look. */
  readonly reasons: Readonly<Record<WaitingReason, number>>;
  readonly verdict: Verdict;
}

const workers = ["worker-1", "worker-2", "worker-3"];
const lookMs = 100;
/** What a run may take before it is called stuck, beside the time its visits need. */
const patienceMs = 60_000;

/** Fills a queue, lets three processes work on it, kills one of them, and looks at the outcome. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { folder, size, clock, note } = options;
  const address = `sqlite:${join(folder, "queue.db")}`;
  const logFiles = workers.map((worker) => join(folder, `${worker}.jsonl`));
  for (const file of logFiles) writeFileSync(file, ""); // a worker may come too late to do anything
  await using queue = await openQueue<DemoKinds>(address);
  const tasks = planTasks(size);
  await fillQueue(queue, tasks);

  const stage = createStage();
  const progress = options.startProgress(tasks.length);
  const crew = createCrew({
    program: new URL("./demo-worker.js", import.meta.url),
    clock,
    onEvent(event) {
      if (!stage.isTimeToKill(event)) return;
      const pid = crew.kill(event.worker);
      note(`${event.worker} (process ${pid}) killed with -9 in the middle of a visit`);
    },
  });
  const startMs = machineMonotonicMs();
  const peaks = createPeaks(await queue.stats());
  try {
    workers.forEach((worker, index) => {
      const settings: DemoWorkerSettings = { worker, address, logFile: logFiles[index]! };
      crew.hire(settings);
    });
    await Promise.race([crew.mishap, watch({ ...options, queue, stage, peaks, progress })]);
  } finally {
    await crew.stop();
    progress.done();
  }
  const elapsedMs = machineMonotonicMs() - startMs;
  const { killed, resumedAtMs } = stage.seen();
  const verdict = judge({
    events: readVisitLogs(logFiles),
    tasks: await allTasks(queue),
    jobs: await queue.jobs(),
    reconciled: await queue.reconcile(),
    killed,
    resumedAtMs,
  });
  return {
    tasks: tasks.length,
    elapsedMs,
    workers,
    killed: killed.worker,
    reasons: peaks.all(),
    verdict,
  };
}

/** What the demo does by itself, once each: it kills a worker and resumes the paused job. */
function createStage() {
  let killed: { readonly worker: string; readonly atMs: number } | undefined;
  let resumedAtMs: number | undefined;
  return {
    isTimeToKill({ event, key, worker }: VisitEvent): boolean {
      if (killed || event !== "start" || key !== fatalPage) return false;
      killed = { worker, atMs: machineMonotonicMs() };
      return true;
    },
    isTimeToResume(ended: number, tasks: number): boolean {
      if (resumedAtMs !== undefined || ended < tasks / 2) return false;
      resumedAtMs = machineMonotonicMs(); // before the queue lets anyone in
      return true;
    },
    seen() {
      if (killed && resumedAtMs !== undefined) return { killed, resumedAtMs };
      const message = "the demo ended before its worker was killed and its job resumed";
      throw new AppError("internal", "demo_incomplete", message);
    },
  };
}

interface WatchOptions extends DemoOptions {
  readonly queue: Queue<DemoKinds>;
  readonly stage: ReturnType<typeof createStage>;
  readonly peaks: ReturnType<typeof createPeaks>;
  readonly progress: ProgressHandle;
}

/** Looks at the queue, as anyone could from another process, until all its jobs have ended. */
async function watch(options: WatchOptions): Promise<void> {
  const { queue, clock, signal, size, stage, peaks, progress, note, showReasons } = options;
  const giveUpMs = clock.monotonicMs() + patienceMs + size * 10;
  let ended = 0;
  let isShown = false;
  for (;;) {
    await sleep(clock, lookMs, signal);
    const stats = await queue.stats();
    const { done, skipped, failed, pending, running } = stats.states;
    progress.advance(done + skipped + failed - ended);
    ended = done + skipped + failed;
    peaks.add(stats);
    progress.note(waitingText(stats));
    if (!isShown && stats.reasons.filter(({ count }) => count > 0).length >= 5) {
      isShown = true;
      showReasons(stats);
    }
    if (stage.isTimeToResume(ended, ended + pending + running)) {
      await queue.resume(pausedJob);
      note(`job ${pausedJob} resumed`);
    }
    if ((await queue.jobs()).every((job) => job.ended !== null)) return;
    if (clock.monotonicMs() < giveUpMs) continue;
    const text = `after ${patienceMs / 1_000} s there is still work: ${waitingText(stats)}`;
    throw new AppError("internal", "demo_stuck", text);
  }
}

const waitingText = ({ reasons, states }: QueueStats) => {
  const waiting = reasons.filter(({ count }) => count > 0);
  const text = waiting.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return `${states.running} running; waiting: ${text || "none"}`;
};

function createPeaks(first: QueueStats) {
  const peaks = new Map<WaitingReason, number>();
  const add = ({ reasons }: QueueStats) => {
    for (const { reason, count } of reasons) {
      peaks.set(reason, Math.max(peaks.get(reason) ?? 0, count));
    }
  };
  add(first);
  return { add, all: () => Object.fromEntries(peaks) as Record<WaitingReason, number> };
}

async function allTasks(queue: Queue<DemoKinds>): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await queue.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 5_000 });
    if (page.length === 0) return tasks;
    tasks.push(...page);
  }
}
