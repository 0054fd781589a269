// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";

async function setUp(settings = "") {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const write = (name: string, text: string) => writeFileSync(join(sandbox.folder, name), text);
  write("forager.toml", `data = "d"\n${settings}`);
  write("handlers.mjs", `export const note = { kind: "note", run() {} };\n`);
  const run = (words: string, env: Readonly<Record<string, string>> = {}) =>
    sandbox.forager(words.split(" "), { env });
  return { sandbox, run, write };
}

test("visits without a contact are refused before the first one, and `config set` mends that", async () => {
  const { run, write } = await setUp("crawl.allowAddresses = ['127.0.0.1']\n");
  write("leads.csv", "name,website\nFloors,http://127.0.0.1:9/\n");
  expect((await run("import companies leads.csv")).exitCode).toBe(0);
  const added = await run("enrich --all --batch leads");
  expect(added.stderr).toContain("warning: crawl.contact is not set");
  const refused = await run("work --drain");
  expect([refused.exitCode, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("forager config set crawl.contact you@example.org");

  const set = await run("config set crawl.contact crawler@forager-tests.org");
  expect(set.stdout, set.stderr).toMatch(/^crawl\.contact is set in .*forager\.toml$/m);
  expect((await run("config get crawl.contact")).stdout).toBe("crawler@forager-tests.org\n");
  expect((await run("config path")).stdout).toMatch(/^project +read +.*forager\.toml$/m);
  const worked = await run("work --drain");
  expect(worked.stdout, worked.stderr).toMatch(/^visits: 1 unreachable \(1 refused\)$/m);
});

test("a task that no worker here can do is named, and the exit code is 3", async () => {
  const { run } = await setUp();
  await run("queue add note --key a");
  await run("queue add nokind --key b");
  const { exitCode, stdout } = await run("work --drain --handlers handlers.mjs");
  expect(stdout).toContain("1 done");
  expect(stdout).toContain("1 task of kind nokind left: no handler for it here (--handlers FILE)");
  expect(exitCode).toBe(3);
});

test("with a bucket tasks are on it; tasks that a local queue still has stop the start until they are moved", async () => {
  const { sandbox, run } = await setUp();
  const bucket = { FORAGER_BUCKET_URL: `dir:${join(sandbox.folder, "shared")}` };
  await run("queue add note --key a");
  await run("queue add note --key b --gate example.org --job spring");
  await run("queue gate example.org --delay 5ms --limit 3");
  const drain = "work --drain --handlers handlers.mjs";
  const refused = await run(drain, bucket);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /has 2 unfinished tasks.*queue\.url = "sqlite:queue\.db".*queue move/s,
  );

  const moved = await run("queue move --json", bucket);
  expect(moved.exitCode, moved.stderr).toBe(0);
  expect(JSON.parse(moved.stdout)).toMatchObject({ moved: 2, refused: 0 });
  expect(readdirSync(join(sandbox.folder, "d")).filter((name) => name === "queue.db")).toEqual([]);
  const gate = JSON.parse((await run("queue gate example.org --json", bucket)).stdout) as object;
  expect(gate).toMatchObject({ delayMs: 5, limit: 3 });

  // Another machine, with the same bucket and nothing else, gets the work.
  const other = {
    ...bucket,
    FORAGER_DATA: join(sandbox.folder, "other"),
    FORAGER_NODE_NAME: "pi-3",
  };
  const worked = await run(drain, other);
  expect([worked.exitCode, worked.stdout.split("\n")[0]], worked.stderr).toEqual([
    0,
    "2 done, 0 skipped, 0 retried, 0 failed",
  ]);
  const again = await run(drain, bucket);
  expect(again.stdout, again.stderr).toContain("0 done");
});
