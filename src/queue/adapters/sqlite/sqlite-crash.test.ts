// inputs: src/queue/** src/base/**
// long: chaos
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { sleep, systemClock } from "../../../base/clock.ts";
import { createSeededRandom } from "../../../base/random.ts";
import type { Queue } from "../../queue.ts";
import type { Task } from "../../task.ts";
import type { Acknowledged } from "./testing/crash-program.ts";
import { openSqliteQueue } from "./testing/filled-queue.ts";
import { createTempFolder } from "./testing/temp-folder.ts";

const crashMs = process.env["FORAGER_TEST_LONG"] === "1" ? 60_000 : 5_000;

const crashesMax = 200;

test("kill -9 at any moment takes back nothing that was acknowledged, and tears nothing", async () => {
  using folder = createTempFolder();
  const random = createSeededRandom(systemClock.nowMs());
  const untilMs = systemClock.monotonicMs() + crashMs;
  const known: Known = { keys: new Set(), tokens: new Map(), states: new Map() };
  let crashes = 0;
  let finished = 0;
  // Two at a time, so that one dies while the other writes.
  let previous: Crashing | undefined;
  // On a slow machine it runs until enough has happened to prove something.
  const isEnough = () => crashes > 2 && known.keys.size > 100 && finished > 100;
  while (systemClock.monotonicMs() < untilMs || (!isEnough() && crashes < crashesMax)) {
    const next = startCrashing(folder.file, join(folder.path, `${crashes}.log`), `p${crashes}`);
    await next.atWork();
    await sleep(systemClock, random.below(150));
    for (const line of (await previous?.kill()) ?? []) finished += note(known, line);
    previous = next;
    crashes += 1;
    await using queue = openSqliteQueue({ file: folder.file });
    expect(await lost(queue, known)).toEqual([]);
    expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
  }
  for (const line of (await previous?.kill()) ?? []) finished += note(known, line);

  await using queue = openSqliteQueue({ file: folder.file });
  expect(await lost(queue, known)).toEqual([]);
  expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
  expect(await tornBatches(queue)).toEqual([]);
  expect(isEnough()).toBe(true);
});

interface Known {
  readonly keys: Set<string>;
  readonly tokens: Map<number, number>;
  readonly states: Map<number, string>;
}

function note({ keys, tokens, states }: Known, line: Acknowledged): number {
  if ("added" in line) {
    for (const key of line.added) keys.add(key);
  } else if ("claimed" in line) {
    for (const [id, token] of line.claimed) tokens.set(id, Math.max(token, tokens.get(id) ?? 0));
  } else {
    for (const [id, state] of line.finished) states.set(id, state);
    return line.finished.length;
  }
  return 0;
}

/** What was acknowledged and is not so in the file, in words. */
async function lost(queue: Queue, { keys, tokens, states }: Known): Promise<readonly string[]> {
  const tasks = await allTasks(queue);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const present = new Set(tasks.map(({ key }) => key));
  return [
    ...[...keys].filter((key) => !present.has(key)).map((key) => `${key} was added`),
    ...[...tokens]
      .filter(([id, token]) => (byId.get(id)?.token ?? 0) < token)
      .map(([id]) => `${id} was claimed`),
    ...[...states]
      .filter(([id, state]) => byId.get(id)?.state !== state)
      .map(([id, state]) => `${id} was ${state}, it is ${byId.get(id)?.state}`),
  ];
}

/** An add is stored whole or not at all, also if the answer was lost. */
async function tornBatches(queue: Queue): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  for (const { key } of await allTasks(queue)) {
    const batch = key.slice(0, key.lastIndexOf("-"));
    counts.set(batch, (counts.get(batch) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count !== 5).map(([batch]) => batch);
}

async function allTasks(queue: Queue): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await queue.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 10_000 });
    tasks.push(...page);
    if (page.length < 10_000) return tasks;
  }
}

interface Crashing {
  /** Resolves when it has been answered a few times. */
  atWork(): Promise<void>;
  /** kill -9; returns the answers that it had got. */
  kill(): Promise<readonly Acknowledged[]>;
}

function startCrashing(file: string, log: string, name: string): Crashing {
  const program = fileURLToPath(new URL("testing/crash-program.ts", import.meta.url));
  const child = fork(program, [file, log, name], { execArgv: ["--import", "tsx"] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : []);
  return {
    async atWork() {
      while (lines().length < 10) {
        expect(child.exitCode, "the program ended by itself").toBeNull();
        await sleep(systemClock, 10);
      }
    },
    async kill() {
      expect(child.exitCode, "the program ended by itself").toBeNull();
      child.kill("SIGKILL");
      await exited;
      return lines().map((line) => JSON.parse(line) as Acknowledged);
    },
  };
}
