// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TaskInput } from "../../src/queue/index.ts";
import { builtCli } from "../support/built-cli.ts";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";
import { repositoryRoot } from "../support/repository.ts";
import { until } from "../support/until.ts";

/** Every handler writes a line for each start and end, with its process. */
const handlers = `
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
const say = (what, task) => appendFileSync("log", \`\${what} \${task.key} \${process.pid}\\n\`);
const logged = (kind, run, more = {}) => ({
  kind,
  ...more,
  run: async (context) => {
    say("start", context.task);
    const outcome = await run(context);
    say("end", context.task);
    return outcome;
  },
});
export const handlers = [
  logged("quick", async () => ({ kind: "done", result: "ok" })),
  logged("slow", ({ task, signal }) => wait(task.payload.ms, undefined, { signal })),
  // Waits until so many processes have begun a task: the first does four at a time.
  logged("meet", async ({ task }) => {
    const pids = () => new Set(readFileSync("log", "utf8").match(/\\d+$/gm)).size;
    for (let tries = 0; tries < 10_000 && pids() < task.payload.processes; tries++) await wait(20);
  }),
  logged("block", () => { for (;;) {} }),
  logged("crash", () => { setTimeout(() => { throw new Error("outside any task"); }, 1); return wait(60_000); }),
];
`;

interface Work {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly text: () => string;
}

const impatient = "[work]\nwatchdogMs = 4000\n";

async function setUp(tasks: readonly TaskInput[], settings = ""): Promise<QueueSandbox> {
  const sandbox = await createQueueSandbox();
  sandbox.write("handlers.mjs", handlers);
  sandbox.write("log", "");
  sandbox.write("forager.toml", settings);
  await sandbox.use((queue) => queue.add(tasks));
  return sandbox;
}

async function startWork(sandbox: QueueSandbox, args: readonly string[] = []): Promise<Work> {
  const main = await builtCli();
  const words = ["work", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db", ...args];
  const child = spawn(process.execPath, [main, ...words], {
    cwd: sandbox.folder,
    env: { PATH: process.env["PATH"], HOME: sandbox.folder },
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    ended: new Promise((resolve) => child.once("close", resolve)),
    text: () => text,
  };
}

const log = (sandbox: QueueSandbox) =>
  readFileSync(join(sandbox.folder, "log"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [what = "", key = "", pid = ""] = line.split(" ");
      return { what, key, pid: Number(pid) };
    });

const tasks = (kind: string, count: number, more: object = {}): TaskInput[] =>
  Array.from({ length: count }, (_, at) => ({ kind, key: `${kind}-${at}`, ...more }));

const isAlive = (pid: number) => existsSync(`/proc/${pid}/stat`);

describe("forager work", () => {
  test("C9: --handlers FILE --drain does all of a user's tasks, in several processes, and ends", async () => {
    const sandbox = await setUp([
      ...tasks("meet", 5, { payload: { processes: 2 } }),
      ...tasks("quick", 200),
      ...tasks("slow", 15, { payload: { ms: 50 } }),
    ]);
    const { stdout, stderr, exitCode } = await sandbox.forager(
      ["work", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db", "--drain", "--json"].concat([
        "--processes",
        "2",
        "--concurrency",
        "4",
      ]),
    );
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      contacts: 0,
      done: 220,
      skipped: 0,
      retried: 0,
      failed: 0,
      released: 0,
      lost: 0,
      visits: [],
      failures: [],
      paused: [],
      stopped: [],
      unread: [],
      releasedKinds: [],
      undone: [],
    });
    const starts = log(sandbox).filter(({ what }) => what === "start");
    expect(new Set(starts.map(({ key }) => key)).size).toBe(220);
    expect(starts).toHaveLength(220);
    expect(new Set(starts.map(({ pid }) => pid)).size).toBe(2);
  });

  test("a process that is killed with -9 is replaced, and every task is done", async () => {
    const sandbox = await setUp(tasks("meet", 12, { payload: { processes: 3 } }));
    const work = await startWork(sandbox, ["--drain", "--processes", "2", "--concurrency", "2"]);
    await until(() => log(sandbox).length > 0, "the first task begins");
    process.kill(log(sandbox)[0]!.pid, "SIGKILL");
    expect(await work.ended, work.text()).toBe(0);
    const { states } = await sandbox.use((queue) => queue.stats());
    expect(states).toMatchObject({ done: 12, failed: 0 });
    expect(new Set(log(sandbox).map(({ pid }) => pid)).size).toBe(3);
    expect(work.text()).toContain("worker process ended and is replaced");
  });

  test("a handler that blocks its event loop: its process is replaced, and only its task fails", async () => {
    const sandbox = await setUp(
      [...tasks("block", 1, { attemptsMax: 1 }), ...tasks("quick", 10)],
      impatient,
    );
    const work = await startWork(sandbox, ["--drain"]);
    expect(await work.ended, work.text()).toBe(3);
    const { states } = await sandbox.use((queue) => queue.stats());
    expect(states).toMatchObject({ done: 10, failed: 1 });
    expect(work.text()).toContain("its event loop is blocked");
  });

  test("an error outside any task ends its process, which is replaced", async () => {
    const sandbox = await setUp([...tasks("crash", 1, { attemptsMax: 2 }), ...tasks("quick", 10)]);
    const work = await startWork(sandbox, ["--drain"]);
    expect(await work.ended, work.text()).toBe(3);
    const { states } = await sandbox.use((queue) => queue.stats());
    expect(states).toMatchObject({ done: 10, failed: 1 });
    expect(work.text()).toContain("outside any task");
  });

  test("SIGTERM: tasks that have begun are finished, the rest released; no process is left behind", async () => {
    const sandbox = await setUp([
      ...tasks("slow", 30, { payload: { ms: 1_000 }, gate: "a.example" }),
      ...tasks("slow", 2, { payload: { ms: 1_000 }, job: "other" }),
    ]);
    const work = await startWork(sandbox, ["--processes", "2"]);
    await until(() => log(sandbox).length >= 3, "tasks begin");
    work.child.kill("SIGTERM");
    expect(await work.ended, work.text()).toBe(0);
    const lines = log(sandbox);
    const count = (wanted: string) => lines.filter(({ what }) => what === wanted).length;
    expect(count("end")).toBe(count("start"));
    const { states } = await sandbox.use((queue) => queue.stats());
    expect(states).toMatchObject({ running: 0, done: count("end"), pending: 32 - count("end") });
    expect(lines.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  test("a second SIGTERM gives back at once, and the attempts are not counted", async () => {
    const sandbox = await setUp(tasks("slow", 3, { payload: { ms: 60_000 } }));
    const work = await startWork(sandbox);
    await until(() => log(sandbox).length === 3, "tasks begin");
    // Two that come before a busy machine looks are one: so it is asked until it has heard.
    for (let asked = 0; asked < 100 && work.child.exitCode === null; asked++) {
      work.child.kill("SIGTERM");
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(await work.ended, work.text()).toBe(143);
    const ours = log(sandbox).map(({ pid }) => pid);
    await until(() => !ours.some(isAlive), "the processes are gone");
    const found = await sandbox.use((queue) => queue.browse());
    expect(found.map(({ state, used }) => ({ state, used }))).toEqual(
      Array.from({ length: 3 }, () => ({ state: "pending", used: 0 })),
    );
  });

  test("A9: changed settings are followed live, without a restart and without dropping work", async () => {
    const sandbox = await setUp(tasks("slow", 400, { payload: { ms: 100 } }));
    const settings = (pools: string) =>
      writeFileSync(join(sandbox.folder, "forager.toml"), `[work]\npools = "${pools}"\n`);
    settings("slow=1x1");
    const work = await startWork(sandbox);
    await until(
      () => log(sandbox).length > 4,
      () => `tasks begin
${work.text()}`,
    );
    const atOnce = () => {
      const lines = log(sandbox);
      return (
        lines.filter(({ what }) => what === "start").length -
        lines.filter(({ what }) => what === "end").length
      );
    };
    const [first] = log(sandbox);
    expect(atOnce()).toBeLessThanOrEqual(1);
    settings("slow=1x6");
    await until(() => atOnce() === 6, "six at once");
    settings("slow=2x6");
    await until(() => new Set(log(sandbox).map(({ pid }) => pid)).size === 2, "two processes");
    expect(isAlive(first!.pid)).toBe(true);
    writeFileSync(join(sandbox.folder, "forager.toml"), "[work]\npools = 7\n");
    work.child.kill("SIGHUP");
    await until(
      () => work.text().includes("are invalid and were not applied"),
      "it says what is wrong",
    );
    work.child.kill("SIGTERM");
    expect(await work.ended, work.text()).toBe(0);
    const lines = log(sandbox);
    expect(lines.filter(({ what }) => what === "start")).toHaveLength(
      lines.filter(({ what }) => what === "end").length,
    );
  });

  test("A9: a changed secret is followed as any other setting, and never shown", async () => {
    const sandbox = await setUp(tasks("slow", 400, { payload: { ms: 100 } }));
    sandbox.write("password", "swordfish");
    sandbox.write("signing", "trout");
    sandbox.write(
      "forager.toml",
      '[queue]\npassword = { file = "password" }\n[alert]\nsecret = { command = "cat signing" }\n',
    );
    const work = await startWork(sandbox);
    await until(
      () => log(sandbox).length > 4,
      () => `tasks begin
${work.text()}`,
    );
    const [first] = log(sandbox);
    sandbox.write("password", "marlin");
    await until(() => new Set(log(sandbox).map(({ pid }) => pid)).size === 2, "a new process");
    await until(() => !isAlive(first!.pid), "the old one is gone, in good order");
    expect(work.text()).toContain("worker process is replaced: its settings changed");
    expect(work.text()).toMatch(/queue\.password.*settings changed and were applied/);
    sandbox.write("signing", "pike");
    work.child.kill("SIGHUP"); // a command is not run every two seconds
    await until(() => /alert\.secret.*were applied/.test(work.text()), "it is asked again");
    work.child.kill("SIGTERM");
    expect(await work.ended, work.text()).toBe(0);
    expect(work.text()).not.toMatch(/swordfish|marlin|trout|pike/);
    const lines = log(sandbox);
    expect(lines.filter(({ what }) => what === "start")).toHaveLength(
      lines.filter(({ what }) => what === "end").length,
    );
  });

  test("kinds run in processes of their own where the settings say so", async () => {
    const sandbox = await setUp([
      ...tasks("quick", 20),
      ...tasks("slow", 20, { payload: { ms: 10 } }),
    ]);
    sandbox.write("forager.toml", '[work]\npools = "quick=1x2 slow=1x2"\n');
    const work = await startWork(sandbox, ["--drain"]);
    expect(await work.ended, work.text()).toBe(0);
    const kindsOf = new Map<number, Set<string>>();
    for (const { key, pid } of log(sandbox)) {
      kindsOf.set(pid, (kindsOf.get(pid) ?? new Set()).add(key.split("-")[0]!));
    }
    expect([...kindsOf.values()].map((kinds) => [...kinds].join()).sort()).toEqual([
      "quick",
      "slow",
    ]);
  });

  test("a worker process follows the command line, and nobody can see it in its arguments", async () => {
    const sandbox = await setUp(tasks("tell", 1));
    sandbox.write(
      "tell.mjs",
      `import { writeFileSync } from "node:fs";
      const { argv, env, pid } = process;
      const run = ({ log }) => {
        log.debug("told", { pid });
        writeFileSync("told", JSON.stringify({ args: argv.slice(2), env, pid }));
      };
      export const tell = { kind: "tell", run };`,
    );
    const args = [
      "--handlers",
      "tell.mjs",
      "--queue",
      "sqlite:q.db",
      "--data",
      "own",
      "--drain",
      "--verbose",
    ];
    const { exitCode, stderr } = await sandbox.forager(["work", ...args]);
    expect(exitCode, stderr).toBe(0);
    const reported = readFileSync(join(sandbox.folder, "told"), "utf8");
    const { args: seen, env, pid } = JSON.parse(reported) as { args: []; env: object; pid: number };
    expect(seen).toEqual([]);
    expect(JSON.stringify(env)).not.toMatch(/q\.db|tell\.mjs/);
    const lines = readFileSync(join(sandbox.folder, "own", "logs", `${pid}.jsonl`), "utf8");
    expect(lines).toContain('"msg":"told"');
  });

  test.each([
    [["--handlers", "none.mjs"], "there is no such file"],
    [["--handlers", "broken.mjs"], "it cannot be loaded"],
    [["--handlers", "empty.mjs"], "it exports no handler"],
    [["--handlers", "handlers.mjs", "--kinds", "quick,nope"], 'no handler for the kind "nope"'],
    [["--kinds", "nope"], "only for discover, details, enrich"],
    [["--handlers", "handlers.mjs", "--concurrency", "0.10"], "concurrency is a number"],
  ])("%j is refused and says why", async (args, why) => {
    const sandbox = await setUp([]);
    sandbox.write("broken.mjs", "export const a = ;");
    sandbox.write("empty.mjs", "export const a = 1;");
    const { exitCode, stderr } = await sandbox.forager([
      "work",
      "--queue",
      "sqlite:q.db",
      "--drain",
      ...args,
    ]);
    expect(stderr).toContain(why);
    expect(exitCode).toBeGreaterThan(0);
  });
});

test("an error class of the library means to the program what it means to the library", async () => {
  const sandbox = await setUp([{ kind: "refuse", key: "refuse", attemptsMax: 5 }]);
  const library = pathToFileURL(join(repositoryRoot, "dist/app/worker.js")).href;
  sandbox.write(
    "handlers.mjs",
    `import { PermanentError } from ${JSON.stringify(library)};
    export const refuse = { kind: "refuse", run() { throw new PermanentError("never"); } };`,
  );
  const work = await startWork(sandbox, ["--drain"]);
  expect(await work.ended, work.text()).toBe(3);
  expect(await sandbox.json("list --state failed")).toMatchObject({ tasks: [{ used: 1 }] });
});
