import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenQueueOptions } from "../../app/index.ts";
import type { Clock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import { mergeSnapshots, type MetricsSnapshot } from "../../base/metrics.ts";
import { createChildProcesses } from "../child-processes.ts";
import { isBucket } from "./profile.ts";
import { stopWorker, type ContinueWhen, type Stop } from "./stop-worker.ts";
import type { LoadWorkerSettings } from "./load-worker.ts";
import { programFile } from "../../base/files/package-files.ts";

export interface LoadWorkersOptions {
  readonly folder: string;
  readonly address: string;
  readonly queueOptions: OpenQueueOptions;
  readonly data: string;
  readonly siteUrl: string;
  readonly workers: number;
  readonly clock: Clock;
}

/** The workers of a load test: some are killed and replaced. */
export interface LoadWorkers {
  /** Kills the oldest worker with SIGKILL, and starts another. Returns its name. */
  replaceOne(): string;
  /**
   * Stops the oldest worker with SIGSTOP until others have its tasks, then continues it. False: it
   * was not late, because it had nothing to finish, or no other worker took its tasks.
   */
  stopOne(when: ContinueWhen, aborted: AbortSignal): Promise<boolean>;
  readonly failed: Promise<never>;
  stop(): Promise<void>;
  readonly kills: ReadonlyMap<string, number>;
  readonly stops: readonly Stop[];
  logFiles(): readonly string[];
  /** The metrics of all workers, including ended ones, as they were last written. */
  metrics(): MetricsSnapshot;
  /**
   * The metrics of workers that were never stopped: a stopped caller must not count as a slow call.
   */
  steadyMetrics(): MetricsSnapshot;
  /** Resident memory of the running workers. */
  memoryBytes(): number;
}

/**
 * Short, so that a killed worker's tasks come back while the test runs. On a bucket a gate that
 * moves from one worker to another costs two seconds, so its lease is longer.
 */
const leaseMsOf = (address: string) => (isBucket(address) ? 4_000 : 2_000);
const concurrency = 25;

export function createLoadWorkers(options: LoadWorkersOptions): LoadWorkers {
  const { folder, address, data, siteUrl, clock } = options;
  const program = programFile("showcase/loadtest/load-worker.js");
  const processes = createChildProcesses({ program, clock, onEvent() {} });
  const kills = new Map<string, number>();
  const stops: Stop[] = [];
  const disturbed = new Set<string>();
  const all: string[] = [];
  const alive: string[] = [];
  const file = (worker: string, what: string) => join(folder, `${worker}.${what}`);
  const holdFile = join(folder, "hold.json");
  const logFiles = () => all.map((worker) => file(worker, "jsonl"));
  const metricsOf = (workers: readonly string[]) =>
    mergeSnapshots(workers.map((worker) => readMetrics(file(worker, "json"))));

  function startWorker(): void {
    const worker = `load-${all.length + 1}`;
    const settings: LoadWorkerSettings = {
      worker,
      address,
      data,
      siteUrl,
      logFile: file(worker, "jsonl"),
      metricsFile: file(worker, "json"),
      stopFile: file(worker, "stop.json"),
      holdFile,
      concurrency,
      leaseMs: leaseMsOf(address),
    };
    all.push(worker);
    alive.push(worker);
    processes.start(settings, options.queueOptions);
  }
  for (let count = 0; count < options.workers; count++) startWorker();

  return {
    replaceOne() {
      const worker = alive.shift()!;
      processes.kill(worker);
      kills.set(worker, machineMonotonicMs());
      startWorker();
      return worker;
    },
    async stopOne(when, aborted) {
      const worker = alive[0]!; // the oldest worker
      disturbed.add(worker);
      const stop = await stopWorker({
        worker,
        when,
        stopFile: file(worker, "stop.json"),
        holdFile,
        logFiles,
        send: (message) => processes.send(worker, message),
        signal: (signal) => processes.signal(worker, signal),
        clock,
        aborted,
      });
      if (stop) stops.push(stop);
      return stop?.wasLate === true;
    },
    failed: processes.failed,
    stop: () => processes.stop(),
    kills,
    stops,
    logFiles,
    metrics: () => metricsOf(all),
    steadyMetrics: () => metricsOf(all.filter((worker) => !disturbed.has(worker))),
    memoryBytes: () =>
      alive
        .map((worker) => residentOf(readMetrics(file(worker, "json"))))
        .reduce((sum, bytes) => sum + bytes, 0),
  };
}

/** Empty if the file does not exist yet, or is being written. */
function readMetrics(path: string): MetricsSnapshot {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as MetricsSnapshot;
  } catch {
    return [];
  }
}

const residentOf = (metrics: MetricsSnapshot): number =>
  metrics
    .find(({ name }) => name === "forager_process_memory_bytes")
    ?.series.find(({ values }) => values[0] === "resident")?.value ?? 0;

export const processorSeconds = (metrics: MetricsSnapshot): number =>
  (metrics.find(({ name }) => name === "forager_process_cpu_seconds")?.series ?? []).reduce(
    (sum, { value }) => sum + value,
    0,
  );
