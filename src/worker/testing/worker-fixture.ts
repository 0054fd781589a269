import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSeededRandom } from "../../base/random.ts";
import type { Logger, LogFields } from "../../base/log/logger.ts";
import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { openSqliteQueueStore } from "../../queue/adapters/sqlite/sqlite-queue-store.ts";
import { createQueue, type Queue, type Task } from "../../queue/index.ts";
import { createWorker, type Worker, type WorkerOptions } from "../create-worker.ts";
import { defineHandler, type Handler, type HandlerOptions, type RunHandler } from "../handler.ts";

export type Backend = "memory" | "sqlite";
export const backends: readonly Backend[] = ["memory", "sqlite"];

/** A queue in virtual time, with workers. Nothing happens until `pass` moves the time. */
export interface WorkerFixture extends AsyncDisposable {
  readonly clock: TestClock;
  readonly queue: Queue;
  readonly lines: readonly LogLine[];
  /** Starts a worker with one handler of kind "work". */
  work(run: RunHandler<unknown, unknown>, more?: More): Promise<Worker>;
  /** Starts a worker with these handlers. */
  start(handlers: readonly Handler<unknown>[], more?: Partial<WorkerOptions>): Promise<Worker>;
  /**
   * Moves time in steps, because calls to the queue take turns of the event loop, which take no
   * virtual time.
   */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Runs everything that needs no virtual time. */
  settle(): Promise<void>;
  task(key: string): Promise<Task>;
}

export type More = Partial<Omit<WorkerOptions, "handlers">> & { readonly handler?: HandlerOptions };

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

export const anything = { parse: (value: unknown) => value };

export function openWorkerFixture(backend: Backend, change = (queue: Queue) => queue) {
  const clock = createTestClock();
  const random = createSeededRandom(7);
  const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
  const folder = backend === "sqlite" ? mkdtempSync(join(tmpdir(), "forager-worker-")) : undefined;
  const store = folder
    ? openSqliteQueueStore({ file: join(folder, "queue.db"), clock, now, durability: "normal" })
    : createMemoryQueueStore({ now });
  const queue = createQueue({ store, clock, random });
  const lines: LogLine[] = [];
  const workers: Worker[] = [];

  const settle = async () => {
    for (let turn = 0; turn < 12; turn++) await clock.advance(0);
  };
  const pass = async (ms: number, stepMs = 10) => {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await settle();
      await clock.advance(Math.min(stepMs, ms - passedMs));
    }
    await settle();
  };
  const start: WorkerFixture["start"] = async (handlers, more = {}) => {
    const worker = createWorker({
      queue: change(queue),
      name: `w${workers.length + 1}`,
      handlers,
      clock,
      random,
      logger: recorder(lines),
      ...more,
    });
    workers.push(worker);
    await worker.start();
    return worker;
  };

  const fixture: WorkerFixture = {
    clock,
    queue,
    lines,
    start,
    work: (run, { handler, ...more } = {}) =>
      start([defineHandler("work", anything, run, handler)], more),
    pass,
    settle,
    async task(key) {
      const found = (await queue.browse({ limit: 10_000 })).find((task) => task.key === key);
      if (!found) throw new Error(`no task "${key}"`);
      return found;
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers) {
        const stopped = worker.abort();
        await pass(12_000, 1_000);
        await stopped;
      }
      await queue[Symbol.asyncDispose]();
      if (folder) rmSync(folder, { recursive: true, force: true });
    },
  };
  return fixture;
}

function recorder(lines: LogLine[], bound: LogFields = {}): Logger {
  const write = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push({ level, message, fields: { ...bound, ...fields } });
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (fields) => recorder(lines, { ...bound, ...fields }),
  };
}

/** Tasks of kind "work" with keys a0, a1, … */
export const works = (prefix: string, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ kind: "work", key: `${prefix}${at}`, ...more }));
