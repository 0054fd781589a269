import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sleep, systemClock } from "../../../src/base/clock.ts";
import { machineMonotonicMs } from "../../../src/base/machine-clock.ts";
import { createSeededRandom } from "../../../src/base/random.ts";
import {
  createRaceLog,
  readRaceLog,
  type QueueRaceEvent,
} from "../../../src/queue/testing/race-log.ts";
import type { FleetPlace } from "./fleet-queue.ts";
import type { FleetWorkerSettings } from "./fleet-worker.ts";

export interface FleetChaosOptions {
  readonly place: FleetPlace;
  /** An empty folder for the logs. */
  readonly folder: string;
  readonly processes: number;
  /**
   * How long processes are killed and stopped at least, and on until there was trouble enough on a
   * slow machine; then the survivors finish the work.
   */
  readonly chaosMs: number;
  readonly seed: number;
  /** Called once, half-way. */
  readonly restartServer: () => Promise<void>;
  readonly isOver: () => Promise<boolean>;
  readonly giveUpMs: number;
}

export interface FleetChaos {
  /** In order of time, which is the machine's own and the same for all. */
  readonly events: readonly QueueRaceEvent[];
  readonly stops: readonly Stop[];
  readonly kills: number;
  readonly requestsFiles: readonly string[];
  /** False when it was given up. */
  readonly isOver: boolean;
}

/** A process stood still between these two moments. */
export interface Stop {
  readonly worker: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Shorter than in life; with what the sweep waits beyond it the dead's tasks are back in 10 s. */
const leaseMs = 3_000;
/** Longer than a lease and what the sweep waits: a stopped process then finds its tasks gone. */
const stopMsMax = 12_000;
/** Kills and stops take turns, so that this makes three of each. */
const troublesMin = 6;

export async function runFleetThroughChaos(options: FleetChaosOptions): Promise<FleetChaos> {
  const { place, folder, processes, chaosMs, restartServer, isOver, giveUpMs } = options;
  const random = createSeededRandom(options.seed);
  const fleet: FleetProcess[] = [];
  const stops: Stop[] = [];
  const workers: string[] = [];
  let kills = 0;
  let troubles = 0;
  let isDone = false;
  let restarting: Promise<void> | undefined;

  const fileOf = (worker: string, ending: string) => join(folder, `${worker}.${ending}`);
  const start = (): FleetProcess => {
    const worker = `w${workers.length + 1}`;
    workers.push(worker);
    return startProcess({
      ...place,
      worker,
      logFile: fileOf(worker, "log"),
      requestsFile: fileOf(worker, "requests"),
      seed: random.below(2 ** 31),
      leaseMs,
    });
  };
  const sinceMs = machineMonotonicMs();
  const elapsedMs = () => machineMonotonicMs() - sinceMs;
  try {
    for (let index = 0; index < processes; index++) fleet.push(start());
    while (!isDone && elapsedMs() < giveUpMs) {
      for (const one of fleet) one.check();
      await sleep(systemClock, 100 + random.below(600));
      if (elapsedMs() > chaosMs / 2) restarting ??= restartServer();
      if (elapsedMs() > chaosMs && troubles >= troublesMin) {
        await restarting;
        isDone = await isOver();
        continue;
      }
      const index = random.below(fleet.length);
      const victim = fleet[index]!;
      // One that is still starting, or stands still, would prove nothing.
      if (!victim.isAtWork()) continue;
      troubles += 1;
      if (troubles % 2 === 1) {
        await victim.kill();
        kills += 1;
        fleet[index] = start();
      } else {
        const forMs = 200 + random.below(random.below(3) === 0 ? stopMsMax : 1_500);
        void victim.stopFor(forMs).then((stop) => stops.push(stop));
      }
    }
    await Promise.all(fleet.map((one) => one.resumed()));
    if (isDone) await Promise.all(fleet.map((one) => one.end()));
  } finally {
    await Promise.all(fleet.map((one) => one.kill()));
  }
  const events = workers.flatMap((worker) => readRaceLog(fileOf(worker, "log")));
  return {
    events: events.sort((a, b) => a.atMs - b.atMs),
    stops,
    kills,
    requestsFiles: workers.map((worker) => fileOf(worker, "requests")).filter(existsSync),
    isOver: isDone,
  };
}

interface FleetProcess {
  /** Throws if the process failed by itself. */
  check(): void;
  isAtWork(): boolean;
  stopFor(forMs: number): Promise<Stop>;
  /** Resolves when it stands still no longer. */
  resumed(): Promise<unknown>;
  /** kill -9, and waits until the process is gone. */
  kill(): Promise<void>;
  end(): Promise<void>;
}

function startProcess(settings: FleetWorkerSettings): FleetProcess {
  const { worker, logFile } = settings;
  const log = createRaceLog(openSync(logFile, "a"), worker);
  const program = fileURLToPath(new URL("fleet-worker.ts", import.meta.url));
  const child: ChildProcess = fork(program, [JSON.stringify(settings)], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = once(child, "exit");
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const check = () => {
    if (child.exitCode) throw new Error(`a worker ended with ${child.exitCode}: ${stderr}`);
  };
  let stopping: Promise<Stop> | undefined;

  const stopFor = async (forMs: number): Promise<Stop> => {
    const fromMs = machineMonotonicMs();
    child.kill("SIGSTOP");
    await sleep(systemClock, forMs);
    const untilMs = machineMonotonicMs();
    child.kill("SIGCONT");
    stopping = undefined;
    return { worker, fromMs, untilMs };
  };

  return {
    check,
    isAtWork: () => !isGone() && !stopping && readRaceLog(logFile).length > 0,
    stopFor: (forMs) => (stopping = stopFor(forMs)),
    resumed: async () => stopping,
    async kill() {
      if (isGone()) return;
      child.kill("SIGKILL");
      await exited;
      log({ event: "killed" });
    },
    async end() {
      if (!isGone()) child.send("stop");
      await exited;
      check();
    },
  };
}
