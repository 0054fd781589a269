// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openQueue } from "../../src/app/index.ts";
import { createQueueSandbox } from "../support/queue-sandbox.ts";

const handlers = `
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
export const slow = {
  kind: "slow",
  async run({ task }) {
    appendFileSync("log", task.key + "\\n");
    await wait(50);
  },
};
`;

async function startWork(tasks: number) {
  const sandbox = await createQueueSandbox();
  sandbox.write("handlers.mjs", handlers);
  const keys = Array.from({ length: tasks }, (_, at) => ({ kind: "slow", key: `slow-${at}` }));
  await sandbox.use((queue) => queue.add([{ kind: "slow", key: "first" }, ...keys]));
  let kill: (signal: NodeJS.Signals) => void = () => {};
  const args = ["work", "--handlers", "handlers.mjs", "--concurrency", "2", "--queue"];
  const ended = sandbox.forager([...args, "sqlite:q.db"], { onStart: (end) => void (kill = end) });
  onTestFinished(async () => {
    kill("SIGKILL");
    await ended;
  });
  await expect.poll(() => existsSync(join(sandbox.folder, "log"))).toBe(true);
  return { ...sandbox, ended };
}

const removeQueue = (file: string) => {
  for (const name of ["", "-wal", "-shm"]) rmSync(`${file}${name}`, { force: true });
};

test.each([
  ["nothing to do", 0],
  ["tasks in hand", 4_000],
])(
  "lesson 63: `work` with %s ends when its queue is deleted, says so, and makes no new one",
  async (_, tasks) => {
    const { ended, file } = await startWork(tasks);
    removeQueue(file);
    const { exitCode, stderr } = await ended;
    expect(exitCode, stderr).toBe(1);
    expect(stderr.trim().split("\n").at(-1)).toMatch(
      /^forager: the queue \S+q\.db, or its write-ahead log \S+, was deleted or replaced/,
    );
    expect(existsSync(file)).toBe(false);
  },
);

test("a backup that is moved over the queue of a running `work` is kept as it is", async () => {
  const { ended, file, folder, forager, queue } = await startWork(4_000);
  const backup = join(folder, "backup.db");
  {
    await using made = await openQueue(`sqlite:${backup}`);
    await made.add([{ kind: "other", key: "of the backup" }]);
  }
  renameSync(backup, file);
  expect((await ended).exitCode).toBe(1);
  // Until the log of the former file is gone, nobody may open the one that is there.
  for (const words of [
    ["queue", "list"],
    ["work", "--handlers", "handlers.mjs", "--drain"],
  ]) {
    const refused = await forager([...words, "--queue", "sqlite:q.db"]);
    expect(refused.exitCode, refused.stderr).toBe(1);
    expect(refused.stderr).toContain("still belongs to the file that was there before");
  }
  for (const name of ["-wal", "-shm"]) rmSync(`${file}${name}`, { force: true });
  expect((await queue("list")).stdout).toContain("of the backup");
});
