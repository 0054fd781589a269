import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sleep, systemClock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createRaceLog, readRaceLog, type QueueRaceEvent } from "./race-log.ts";
import type { SharedStore } from "./race-store.ts";
import type { RaceWorkerSettings } from "./race-worker.ts";

export interface ChaosOptions {
  readonly store: SharedStore;
  /** An empty folder for the logs. */
  readonly folder: string;
  readonly processes: number;
  /** For how long processes are killed once they work; then the survivors finish the work. */
  readonly chaosMs: number;
  readonly seed: number;
  readonly isOver: () => Promise<boolean>;
  /**
   * Adds tasks. Called repeatedly until `raceSeen` holds, so that the work does not end before a busy
   * machine has started the processes that replace the killed ones. Then `seal` is called once.
   */
  readonly feed: () => Promise<void>;
  readonly seal: () => Promise<void>;
  readonly giveUpMs: number;
}

export interface Chaos {
  readonly events: readonly QueueRaceEvent[];
  readonly kills: number;
  /** False if the race was stopped at its time limit. */
  readonly isOver: boolean;
}

/** With fewer kills the race proves nothing. */
const killsMin = 3;

/** What makes it a race: processes died at work, others replaced them, and took over their tasks. */
export function raceSeen(events: readonly QueueRaceEvent[], kills: number, processes: number) {
  const workers = new Set(events.flatMap((one) => (one.event === "start" ? [one.worker] : [])));
  return {
    isKilled: kills >= killsMin,
    isReplaced: workers.size > processes,
    isTakenOver: events.some((one) => one.event === "claimed" && one.isSuspect),
  };
}

/** A hundred times what passes between two events of a race on an idle machine. */
const stuckMs = 45_000;

/** Shorter than in production, so that leases of killed processes end during the test. */
const leaseMs = 1_000;

/** Runs processes on one store, and kills and replaces some of them at random times. */
export async function raceThroughChaos(options: ChaosOptions): Promise<Chaos> {
  const { store, folder, processes, chaosMs, isOver, feed, seal, giveUpMs } = options;
  const random = createSeededRandom(options.seed);
  const racers: Racer[] = [];
  let started = 0;
  let kills = 0;
  let [isDone, isRace] = [false, false];
  /** Counted from when the processes work, because a slow machine takes long to start them. */
  let chaosSinceMs: number | undefined;

  const start = () => {
    const worker = `w${++started}`;
    const logFile = join(folder, `${worker}.log`);
    const seed = random.below(2 ** 31);
    return startRacer({ worker, store, logFile, seed, leaseMs, slots: 6 });
  };
  const eventsSoFar = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".log"))
      .flatMap((name) => readRaceLog(join(folder, name)));
  const sinceMs = machineMonotonicMs();
  let progress = { bytes: 0, atMs: sinceMs };
  /** Processes that write nothing more wait for tasks that will never come. */
  const isStuck = () => {
    const names = readdirSync(folder).filter((name) => name.endsWith(".log"));
    const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const atMs = machineMonotonicMs();
    if (bytes > progress.bytes || chaosSinceMs === undefined) progress = { bytes, atMs };
    return atMs - progress.atMs > stuckMs || atMs - sinceMs > giveUpMs;
  };
  try {
    for (let index = 0; index < processes; index++) racers.push(start());
    while (!(isDone = await isOver()) && !isStuck()) {
      for (const racer of racers) racer.check();
      if (!isRace) {
        const seen = raceSeen(eventsSoFar(), kills, processes);
        isRace = Object.values(seen).every(Boolean);
        await (isRace ? seal() : feed());
      }
      await sleep(systemClock, 100 + random.below(400));
      const atWork = racers.filter((racer) => racer.isAtWork());
      if (atWork.length > 0) chaosSinceMs ??= machineMonotonicMs();
      const isCalm = machineMonotonicMs() - (chaosSinceMs ?? Infinity) > chaosMs;
      // Killing a process that is still starting proves nothing.
      if (atWork.length === 0 || (isCalm && kills >= killsMin)) continue;
      const victim = racers.indexOf(atWork[random.below(atWork.length)]!);
      await racers[victim]!.kill();
      kills += 1;
      racers[victim] = start();
    }
    if (isDone) await Promise.all(racers.map((racer) => racer.stop()));
  } finally {
    await Promise.all(racers.map((racer) => racer.kill()));
  }
  return { events: eventsSoFar().sort((a, b) => a.atMs - b.atMs), kills, isOver: isDone };
}

interface Racer {
  /** Throws if the process failed without being killed. */
  check(): void;
  isAtWork(): boolean;
  /** kill -9, and waits until the process is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

function startRacer(settings: RaceWorkerSettings): Racer {
  const program = fileURLToPath(new URL("race-worker.ts", import.meta.url));
  const log = createRaceLog(openSync(settings.logFile, "a"), settings.worker);
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

  return {
    check,
    isAtWork: () => readRaceLog(settings.logFile).length > 0,
    async kill() {
      if (isGone()) return;
      child.kill("SIGKILL");
      await exited;
      log({ event: "killed" });
    },
    async stop() {
      if (!isGone()) child.send("stop");
      await exited;
      check();
    },
  };
}
