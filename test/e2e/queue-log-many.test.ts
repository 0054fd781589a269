// inputs: src/** package.json tsconfig.json tsconfig.build.json
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { builtCli } from "../support/built-cli.ts";
import { addFinished, createQueueSandbox } from "../support/queue-sandbox.ts";

const count = 200_000;

/** Copies of one finished task, each a millisecond later than the one before. */
function multiply(file: string): void {
  const db = new Database(file);
  try {
    db.exec(`insert into task
      with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count - 1})
      select task.id + n, lane, scope, 'k' || n, payload, priority, due_at, created_at, state, token,
        used, attempts_max, is_suspect, expires_at, attempts, result, finished_at + n
      from number, task`);
  } finally {
    db.close();
  }
}

test("queue log and queue list print any number of tasks, in bounded memory", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.use((queue) => addFinished(queue, [{ kind: "work", key: "first" }], "done"));
  multiply(sandbox.file);
  const main = await builtCli();
  const inLittleMemory = (...args: readonly string[]) =>
    sandbox.run(process.execPath, ["--max-old-space-size=64", main, ...args, "--queue", "sqlite:q.db"]); // prettier-ignore

  const table = await inLittleMemory("queue", "log");
  expect(table.stderr).toBe("");
  expect(table.exitCode).toBe(0);
  const lines = table.stdout.split("\n");
  expect(lines).toHaveLength(count + 2);
  expect(lines[1]).toContain("first");
  expect(lines.at(-2)).toContain(`k${count - 1}`);

  const last = await inLittleMemory("queue", "log", "--limit", "3", "--json");
  const keys = (JSON.parse(last.stdout) as { readonly key: string }[]).map(({ key }) => key);
  expect(keys).toEqual([count - 3, count - 2, count - 1].map((n) => `k${n}`));

  const json = await inLittleMemory("queue", "log", "--json");
  expect(json.exitCode, json.stderr).toBe(0);
  expect(JSON.parse(json.stdout)).toHaveLength(count);

  const page = await inLittleMemory("queue", "list", "--limit", "10000", "--after", "5", "--json");
  const { tasks, after } = JSON.parse(page.stdout) as { tasks: unknown[]; after: number };
  expect([tasks.length, after]).toEqual([10_000, 10_005]);
});

test("queue log ends when its reader goes away", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.use((queue) => addFinished(queue, [{ kind: "work", key: "first" }], "done"));
  multiply(sandbox.file);
  const main = await builtCli();
  const { stdout, stderr } = await sandbox.run("sh", [
    "-c",
    `"${process.execPath}" "${main}" queue log --queue sqlite:q.db | head -2`,
  ]);
  expect(stdout.split("\n")).toHaveLength(3);
  expect(stderr).toBe("");
});
