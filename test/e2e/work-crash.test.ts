// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Task, TaskInput } from "../../src/queue/index.ts";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";

/** Every start is a line outside of the queue, with its process and its moment. */
const handlers = `
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
const started = ({ task }) =>
  appendFileSync("log", \`\${task.key} \${process.pid} \${Date.now()}\\n\`);
const logged = (kind, run, more) =>
  ({ kind, ...more, run: (context) => (started(context), run(context)) });
export const handlers = [
  logged("slow", () => wait(400)),
  // Nobody can catch it: it ends the process.
  logged("crash", () => {
    setTimeout(() => { throw new Error("outside any task"); }, 150);
    return wait(60_000);
  }, { retry: { attempts: 2 } }),
  logged("kill", async () => {
    await wait(100);
    process.kill(process.pid, "SIGKILL");
    return wait(60_000);
  }, { retry: { attempts: 2 } }),
  // Most are quick. Some let their process be killed a little later, wherever it is by then.
  { kind: "dice", run: async ({ task }) => {
    const dice = Number(task.key.slice(5)) * 7919 % 100;
    if (dice === 0) setTimeout(() => process.kill(process.pid, "SIGKILL"), 1 + task.id % 4);
    if (dice > 90) throw new Error("once more");
  }, retry: { delayMs: 1, delayMsMax: 1 } },
];
`;

async function setUp(tasks: readonly TaskInput[], pacedMs?: number): Promise<QueueSandbox> {
  const sandbox = await createQueueSandbox();
  sandbox.write("handlers.mjs", handlers);
  sandbox.write("log", "");
  sandbox.write("forager.toml", `[queue]\nleaseMs = ${leaseMs}\n`);
  await sandbox.use(async (queue) => {
    if (pacedMs !== undefined) await queue.setGate("a.example", { delayMs: pacedMs });
    await queue.add(tasks);
  });
  return sandbox;
}

const tasks = (kind: string, count: number, more: { gate?: string } = {}): TaskInput[] =>
  Array.from({ length: count }, (_, at) => ({
    kind,
    key: `${kind}-${at}${more.gate ?? ""}`,
    ...more,
  }));

const starts = (sandbox: QueueSandbox) =>
  readFileSync(join(sandbox.folder, "log"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" ")[0]!);

async function drain(sandbox: QueueSandbox) {
  const beganMs = Date.now();
  const words = ["work", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db"];
  const more = ["--drain", "--concurrency", "10", "--json"];
  const { exitCode, stdout, stderr } = await sandbox.forager([...words, ...more]);
  const ended = JSON.parse(stdout) as Record<string, number>;
  expect(exitCode, stderr).toBe(ended["failed"]! > 0 ? 3 : 0);
  const found = await sandbox.use((queue) => queue.browse({ limit: 1_000 }));
  return {
    tookMs: Date.now() - beganMs,
    ended,
    found: new Map(found.map((task) => [task.key, task])),
    stderr,
  };
}

const crashesOf = (task: Task) => task.attempts.filter(({ outcome }) => outcome === "crash").length;
const countOf = <T>(items: Iterable<T>, is: (item: T) => boolean) => [...items].filter(is).length;

/** So long that a busy machine cannot be taken for somebody who waits for a lease to run out. */
const leaseMs = 600_000;

test.each(["crash", "kill"])(
  "lesson 10: a handler that ends its process by %s ends as a dead letter, and nobody waits for a lease",
  async (kind) => {
    const sandbox = await setUp([
      ...tasks(kind, 1),
      ...tasks("slow", 24),
      // A run: one of it has begun when the process dies, the rest waits for its moment.
      ...tasks("slow", 4, { gate: "a.example" }),
    ], 300); // prettier-ignore
    const { tookMs, ended, found, stderr } = await drain(sandbox);
    expect(tookMs, stderr).toBeLessThan(leaseMs / 2);

    const crasher = found.get(`${kind}-0`)!;
    // The lower of the two limits: the handler's 2, not the task's 5.
    expect(crasher).toMatchObject({ state: "failed", used: 2, attemptsMax: 5 });
    expect(crasher.attempts.map(({ outcome }) => outcome)).toEqual(["crash", "crash"]);
    expect(crasher.attempts[0]!.reason).toMatch(
      /^the worker process ended while the task was running \((?:code \d+|SIGKILL)\)$/,
    );
    expect(countOf(starts(sandbox), (key) => key === crasher.key)).toBe(2);

    const others = [...found.values()].filter((task) => task !== crasher);
    expect(new Set(others.map(({ state }) => state))).toEqual(new Set(["done"]));
    // Its neighbours are charged once at most, those that had not begun not at all.
    const neighbours = others.filter((task) => crashesOf(task) > 0);
    for (const task of others) expect(task.used).toBe(1 + crashesOf(task));
    expect(neighbours.length).toBeGreaterThan(0);
    expect(neighbours.length).toBeLessThanOrEqual(9);
    for (const task of neighbours) expect(crashesOf(task)).toBe(1);
    expect(neighbours.filter(({ gate }) => gate !== "").length).toBeLessThanOrEqual(1);
    expect(starts(sandbox)).toHaveLength(2 + others.length + neighbours.length);

    // What the dead process had counted is counted, and how its tasks ended.
    expect(ended).toMatchObject({
      done: others.length,
      failed: 1,
      retried: 1 + neighbours.length,
      lost: 0,
    });
  },
  leaseMs / 2,
);

test("totals are what the queue decided, although processes were killed in the run", async () => {
  const sandbox = await setUp(tasks("dice", 300).map((task) => ({ ...task, attemptsMax: 3 })));
  const { ended, found } = await drain(sandbox);
  const all = [...found.values()];
  const attempts = all.flatMap((task) => task.attempts);
  const failed = countOf(all, ({ state }) => state === "failed");
  expect(countOf(attempts, ({ outcome }) => outcome === "crash")).toBeGreaterThan(0);
  expect(failed).toBeGreaterThan(0);
  expect(ended).toMatchObject({
    done: countOf(all, ({ state }) => state === "done"),
    failed,
    // An attempt that did not end well was tried again, but for the last of a dead letter.
    retried: attempts.length - failed,
    lost: 0,
  });
});
