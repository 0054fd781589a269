import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { openLoopDisk } from "./loop-disk.ts";
import { begin, findLost, type PlaceName } from "./workload.ts";

export interface PowerCutOptions {
  readonly mkfs: string;
  /** Power cuts for each place. */
  readonly moments: number;
}

/** See docs/testing.md, `loopdisks`. */
export function powerCutSuite(options: PowerCutOptions): void {
  const { moments } = options;
  const timeoutMs = 60_000 + moments * 3_000;
  test.each(["sqlite", "dir", "ledger"] as const)(
    "A11: a power cut loses nothing that was acknowledged (%s)",
    async (place) => {
      const { acknowledged, lost } = await cutPower(place, options);
      expect(lost).toEqual([]);
      expect(acknowledged).toBeGreaterThan(moments);
    },
    timeoutMs,
  );

  test(
    "a power cut shows what was not synced: with durability normal, tasks are lost",
    async () => {
      const { lost } = await cutPower("sqlite-normal", options);
      expect(lost.length).toBeGreaterThan(0);
    },
    timeoutMs,
  );
}

interface CutPower {
  /** Checked, over all moments. */
  readonly acknowledged: number;
  readonly lost: readonly string[];
}

async function cutPower(place: PlaceName, { mkfs, moments }: PowerCutOptions): Promise<CutPower> {
  using disk = openLoopDisk(mkfs);
  await using writer = await startWriter(place, disk.path);
  const random = createSeededRandom(moments);
  const lost: string[] = [];
  let acknowledged = 0;
  for (let moment = 1; moment <= moments; moment++) {
    await writer.moreLines(1 + random.below(100));
    const rounds = await writer.whileStopped(() => {
      const said = writer.lastRounds();
      return { said, snapshot: disk.afterPowerCut() };
    });
    using snapshot = rounds.snapshot;
    for (const [round, lines] of rounds.said) {
      const gone = await findLost(place, join(snapshot.path, round), lines);
      lost.push(...gone.map((line) => `moment ${moment}, place ${round}: ${line}`));
      acknowledged += lines.length;
    }
  }
  return { acknowledged, lost };
}

interface Writer extends AsyncDisposable {
  /** Resolves when it has acknowledged so many more. */
  moreLines(count: number): Promise<void>;
  whileStopped<T>(work: () => T): Promise<T>;
  /** What it acknowledged of the last two places that it began, by their number. */
  lastRounds(): readonly (readonly [round: string, lines: readonly string[]])[];
}

const program = fileURLToPath(new URL("write-program.ts", import.meta.url));

async function startWriter(place: PlaceName, path: string): Promise<Writer> {
  const folder = mkdtempSync(join(tmpdir(), "forager-written-"));
  const log = join(folder, "log");
  writeFileSync(log, "");
  const child = spawn(process.execPath, ["--import", "tsx", program, place, path, log], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = () => readFileSync(log, "utf8").split("\n").slice(0, -1);
  let seen = 0;

  return {
    async moreLines(count) {
      await until(() => lines().length >= seen + count, child, "the writer acknowledges more");
    },
    async whileStopped(work) {
      child.kill("SIGSTOP");
      // What a thread had asked of the disk is done by then, or was never begun.
      await until(() => isStopped(child.pid!), child, "the writer is stopped");
      seen = lines().length;
      try {
        return work();
      } finally {
        child.kill("SIGCONT");
      }
    },
    lastRounds() {
      const rounds = new Map<string, string[]>();
      for (const line of lines()) {
        const [round = "", ...what] = line.split(" ");
        if (what[0] === begin) rounds.set(round, []);
        else rounds.get(round)!.push(what.join(" "));
      }
      return [...rounds].slice(-2);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Every thread of it: others than the main one write files. */
const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).startsWith("T");
  });

async function until(isSo: () => boolean, child: ChildProcess, what: string): Promise<void> {
  for (let tries = 0; tries < 120_000; tries++) {
    if (isSo()) return;
    if (child.exitCode !== null) throw new Error(`the writer ended with ${child.exitCode}`);
    await wait(1);
  }
  throw new Error(`not within two minutes: ${what}`);
}
