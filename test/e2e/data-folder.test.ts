// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => void (sandbox = await createSandbox({ hasSharedProcess: true })));
afterEach(() => sandbox.remove());

const commands = [
  ["company", "add", "Foo"],
  ["queue", "add", "work", "--key", "a"],
  ["work", "--drain"],
  ["ledger", "set", "company/a", "name=A"],
  ["campaign", "new", "austin"],
  ["records", "ingest"],
] as const;

const oneLine = /^forager: [^\n]+\n$/;

test.each(commands.map((words) => words.join(" ")))(
  "%s ends with a sentence where no data folder can be made",
  async (line) => {
    writeFileSync(join(sandbox.folder, "file"), "");
    const places = { "/proc/x": "/proc", "/sys/x": "/sys", "file/x": join(sandbox.folder, "file") };
    for (const [data, named] of Object.entries(places)) {
      const args = [...line.split(" "), "--data", data];
      const { exitCode, stderr } = await sandbox.forager(args);
      expect([1, 2], `${data}: ${stderr}`).toContain(exitCode);
      expect(stderr).toMatch(oneLine);
      expect(stderr).toMatch(/cannot create the folder|on a pseudo file system/);
      expect(stderr).toContain(named);
    }
  },
);

test("a new data folder is made, with all above it, for its user alone", async () => {
  mkdirSync(join(sandbox.folder, "there"));
  const made = await sandbox.forager(["company", "add", "Foo", "--data", "there/a/b"]);
  expect(made.exitCode, made.stderr).toBe(0);
  const again = await sandbox.forager(["company", "list", "--data", "there/a/b"]);
  expect(again.stdout).toContain("Foo");
});
