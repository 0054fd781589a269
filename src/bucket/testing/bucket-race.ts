import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sleep, systemClock } from "../../base/clock.ts";
import { createSeededRandom } from "../../base/random.ts";
import { checkActs, checkRegister, firstNonce } from "./race-check.ts";
import { nowMs, readHistory, type BucketRaceEvent } from "./race-history.ts";
import type { RaceProgramSettings } from "./race-program.ts";
import { openSharedBucket, type SharedBucket } from "./race-store.ts";

const processesCount = 8;
const keys = ["register/one", "register/two"];
/** The owner stops after 1 s without a renewal; another process waits for 5 s. */
const [ttlMs, marginMs] = [3_000, 2_000];
/** On a busy machine a race may take up to this many times as long, until it has seen enough. */
const busyFactor = 10;

export interface BucketRaceOptions {
  readonly name: string;
  readonly open: () => Promise<SharedBucket>;
  readonly raceMs: number;
}

/** Real processes race on one bucket; some are killed and some are paused. */
export function bucketRace({ name, open, raceMs }: BucketRaceOptions): void {
  test(
    `${name}: ${processesCount} processes, killed and stopped: every register is linearizable, one owner at a time`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "forager-bucket-race-"));
      try {
        const shared = await open();
        await prepare(shared);
        const { events, kills, stops } = await race({ shared, folder, raceMs });
        expect(keys.flatMap((key) => checkRegister(key, events))).toEqual([]);
        expect(checkActs(events)).toEqual([]);
        // Processes really were killed and paused.
        expect(Math.min(kills, stops)).toBeGreaterThanOrEqual(1);
        expect(missingIn(events)).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    raceMs * busyFactor + 60_000,
  );
}

async function prepare(shared: SharedBucket): Promise<void> {
  await using bucket = await openSharedBucket(shared);
  const value = JSON.stringify({ count: 0, nonce: firstNonce });
  for (const key of keys) await bucket.put(key, Buffer.from(value));
}

/** The events that a race must contain but does not. */
function missingIn(events: readonly BucketRaceEvent[]): readonly string[] {
  const count = (event: string) => events.filter((one) => one.event === event).length;
  return [
    ...(count("wrote") > 15 ? [] : ["writes"]),
    ...(count("refused") + count("unknown") > 10 ? [] : ["refused writes"]),
    ...(epochsOf(events) >= 2 ? [] : ["a change of the owner"]),
  ];
}

const epochsOf = (events: readonly BucketRaceEvent[]) =>
  new Set(events.flatMap((one) => (one.event === "act" ? [one.epoch] : []))).size;

interface RaceOptions {
  readonly shared: SharedBucket;
  readonly folder: string;
  readonly raceMs: number;
}

async function race({ shared, folder, raceMs }: RaceOptions) {
  const random = createSeededRandom(11);
  const racers: ChildProcess[] = [];
  let [started, strikes, kills, stops] = [0, 0, 0, 0];
  const start = () => {
    const logFile = join(folder, `${++started}.log`);
    return startProgram({ shared, logFile, keys, ttlMs, marginMs });
  };
  const eventsSoFar = () =>
    readdirSync(folder)
      .filter((file) => file.endsWith(".log"))
      .flatMap((file) => readHistory(join(folder, file)));
  const startMs = nowMs();
  const isOver = () => {
    const raceTimeMs = nowMs() - startMs;
    if (raceTimeMs < raceMs) return false;
    return raceTimeMs > raceMs * busyFactor || missingIn(eventsSoFar()).length === 0;
  };
  try {
    for (let index = 0; index < processesCount; index++) racers.push(start());
    await sleep(systemClock, 3_000);
    while (!isOver()) {
      for (const racer of racers) {
        if (racer.exitCode !== null) throw new Error(`a racer ended with ${racer.exitCode}`);
      }
      const victim = random.below(racers.length);
      const racer = racers[victim]!;
      if (strikes++ % 2 === 0) {
        await kill(racer);
        kills += 1;
        racers[victim] = start();
      } else {
        racer.kill("SIGSTOP");
        stops += 1;
        // Every other pause is longer than another process waits before it takes the role.
        const stopMs = stops % 2 === 0 ? 5_500 : 300 + random.next() * 700;
        systemClock.setTimer(stopMs, () => racer.kill("SIGCONT"));
      }
      await sleep(systemClock, 200 + random.next() * 800);
    }
    for (const racer of racers) racer.kill("SIGCONT");
    for (const racer of racers) racer.send("stop");
    for (const racer of racers) if (racer.exitCode === null) await once(racer, "exit");
  } finally {
    await Promise.all(racers.map(kill));
  }
  return { events: eventsSoFar(), kills, stops };
}

function startProgram(settings: RaceProgramSettings): ChildProcess {
  const program = fileURLToPath(new URL("race-program.ts", import.meta.url));
  return fork(program, [JSON.stringify(settings)], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
