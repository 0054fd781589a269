// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ClusterStatus } from "../../src/app/status/cluster-status.ts";
import { openKeptLog } from "../../src/base/log/kept-log.ts";
import type { RunOptions } from "../support/built-cli.ts";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";

const stopping = "forager: stopping; press Ctrl-C again to stop now\n";
const watch = ["status", "--watch", "--every", "100ms", "--queue", "sqlite:q.db", "--data", "data"];

/** Does each step once the output has what the step waits for; the last one ends it. */
function inSteps(
  ...steps: readonly { readonly on: RegExp; readonly act: (kill: Kill) => unknown }[]
): RunOptions {
  let next = 0;
  return {
    onStart: (kill) => onTestFinished(() => kill("SIGKILL")),
    onStdout(text, kill) {
      const step = steps[next];
      if (!step?.on.test(text)) return;
      next += 1;
      void step.act(kill);
    },
  };
}
type Kill = (signal: NodeJS.Signals) => void;
const interrupt = (kill: Kill) => kill("SIGINT");

const line = (msg: string) =>
  `${JSON.stringify({ level: "info", time: new Date().toISOString(), msg })}\n`;

/** What a shell says of `PROGRAM | head -1`: the code of both. */
async function firstLineOf(sandbox: QueueSandbox, words: readonly string[]) {
  const script = `timeout -s KILL 20 "${process.execPath}" "$FORAGER_TEST_MAIN" "$@" | head -1; echo "\${PIPESTATUS[@]}"`;
  return sandbox.run("bash", ["-c", script, "sh", ...words]);
}

test("status --watch shows what changes, until Ctrl-C", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.use((queue) => queue.add([{ kind: "a" }]));
  const add = () => sandbox.use((queue) => queue.add([{ kind: "a" }, { kind: "b" }]));
  const plain = await sandbox.forager(
    watch,
    inSteps({ on: / 1 pending/, act: add }, { on: / 3 pending/, act: interrupt }),
  );
  expect([plain.exitCode, plain.stderr]).toEqual([130, stopping]);
  for (const one of plain.stdout.trim().split("\n")) {
    expect(one).toMatch(/^\d{4}-\S+Z 0 of 1 node, [13] pending, 0 running, [13] tasks? could run/);
  }

  const json = await sandbox.forager(
    [...watch, "--json"],
    inSteps({ on: /\n.*\n/, act: interrupt }),
  );
  expect(json.exitCode).toBe(130);
  const looks = json.stdout.trim().split("\n");
  expect(looks.length).toBeGreaterThan(1);
  for (const look of looks) {
    const { queue } = JSON.parse(look) as ClusterStatus;
    expect(queue!.states.pending).toBe(3);
  }
});

test("status --watch ends quietly when nobody reads any more, and does not read too often", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.use((queue) => queue.add([{ kind: "a" }]));
  const piped = await firstLineOf(sandbox, watch);
  expect([piped.stdout, piped.stderr]).toEqual([expect.stringMatching(/pending.*\n0 0\n$/), ""]);
  const once = await sandbox.forager(watch.filter((word) => word !== "--watch"));
  expect([once.exitCode, once.stderr]).toEqual([
    2,
    expect.stringContaining("--every can only be used with --watch"),
  ]);
  const hasty = await sandbox.forager(watch.map((word) => (word === "100ms" ? "1ms" : word)));
  expect([hasty.exitCode, hasty.stderr]).toEqual([
    2,
    expect.stringContaining("--every takes at least 100ms, not '1ms'"),
  ]);
});

test("logs --follow continues with what comes, each line once, until Ctrl-C", async () => {
  const sandbox = await createQueueSandbox();
  const kept = openKeptLog({ folder: join(sandbox.folder, "data", "logs"), name: "1" });
  kept.write(line("first"));
  kept.write("{\u001b[2J}\n"); // none of ours
  const json = await sandbox.forager(["logs", "--json", "--data", "data"]);
  expect(json.stdout).toMatch(/^\{"level":"info","time":"[^"]+","msg":"first"\}\n$/);
  const follow = ["logs", "--follow", "--data", "data"];
  const { exitCode, stdout, stderr } = await sandbox.forager(
    follow,
    inSteps(
      { on: /first/, act: () => kept.write(line("second")) },
      { on: /second/, act: interrupt },
    ),
  );
  expect([exitCode, stderr]).toEqual([130, stopping]);
  const said = stdout.trim().split("\n");
  expect(said.map((one) => one.split(/\s+/).slice(2))).toEqual([
    ["info", "first"],
    ["info", "second"],
  ]);

  // The second line finds nobody who reads it.
  const writing = setInterval(() => kept.write(line("more")), 200);
  onTestFinished(() => clearInterval(writing));
  const piped = await firstLineOf(sandbox, follow);
  expect([piped.stdout, piped.stderr]).toEqual([expect.stringMatching(/first\n0 0\n$/), ""]);
});

test("logs NODE --follow continues with what another node says, from a machine that runs nothing", async () => {
  const sandbox = await createQueueSandbox();
  const bucket = ["--bucket", `dir:${join(sandbox.folder, "bucket")}`];
  const ended = sandbox.forager(["node", "run", "--data", "a", ...bucket], {
    onStart: (kill) =>
      onTestFinished(async () => {
        kill("SIGTERM");
        await ended;
      }),
  });
  const list = async () => (await sandbox.forager(["node", "list", "--json", ...bucket])).stdout;
  await expect.poll(list).toContain('"node"');
  const [{ node }] = JSON.parse(await list()) as [{ node: string }];
  // As another process of that node does.
  const kept = openKeptLog({ folder: join(sandbox.folder, "a", "logs"), name: "2" });
  kept.write(line("first"));
  const { exitCode, stdout, stderr } = await sandbox.forager(
    ["logs", node, "--follow", "--data", "laptop", ...bucket],
    inSteps(
      { on: /info {2}first/, act: () => kept.write(line("second")) },
      { on: /info {2}second/, act: interrupt },
    ),
  );
  expect([exitCode, stderr]).toEqual([130, stopping]);
  const said = stdout.trim().split("\n");
  expect(new Set(said).size).toBe(said.length);
});
