// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  mountSmallDisk,
  type SmallDisk,
} from "../../src/queue/adapters/sqlite/testing/small-disk.ts";
import { createSandbox } from "../support/built-cli.ts";

/** Leaves no byte free. */
function fill(disk: SmallDisk): void {
  const filler = join(disk.path, "filler");
  for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(filler, "x".repeat(size), { flag: "a" });
    } catch {
      // full for pieces of this size
    }
  }
}

const commands: readonly (readonly [name: string, ...args: string[]])[] = [
  ["a queue that is there", "queue", "add", "work", "--key", "b"],
  ["records that are there", "company", "note", "acme", "text"],
  ["a bucket that is there", "bucket", "put", "dir:DISK/bucket", "b", "file"],
  ["a new queue", "queue", "add", "work", "--queue", "sqlite:DISK/new/q.db"],
  ["new records", "company", "add", "Foo", "--data", "DISK/new"],
  ["a new bucket", "bucket", "put", "dir:DISK/new-bucket", "b", "file"],
  ["a new campaign", "campaign", "new", "austin"],
];

test("a full disk is named, with what to do, and no code of SQLite", async () => {
  const disk = mountSmallDisk(4);
  if (!disk) return expect(process.getuid?.()).not.toBe(0); // only root can mount one
  onTestFinished(() => disk[Symbol.dispose]());
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const forager = (args: readonly string[]) => {
    const named = args.map((one) => one.replaceAll("DISK", disk.path));
    const hasData = args.includes("--data") || args[0] === "bucket";
    return sandbox.forager([...named, ...(hasData ? [] : ["--data", join(disk.path, "data")])]);
  };
  writeFileSync(join(sandbox.folder, "file"), "x".repeat(100_000));
  for (const args of [
    ["queue", "add", "work", "--key", "a"],
    ["company", "add", "Acme"],
    ["bucket", "put", "dir:DISK/bucket", "a", "file"],
  ]) {
    const { exitCode, stderr } = await forager(args);
    expect(exitCode, stderr).toBe(0);
  }
  fill(disk);
  for (const [name, ...args] of commands) {
    const { exitCode, stderr } = await forager(args);
    expect(exitCode, name).toBe(1);
    expect(stderr, name).toContain(`the disk at ${disk.path} is full`);
    expect(stderr, name).toContain("free some space on it");
    expect(stderr, name).not.toMatch(/SQLITE_|ENOSPC|unexpected/);
  }
  rmSync(join(disk.path, "filler"));
  const after = await forager(["company", "note", "acme", "text"]);
  expect(after.exitCode, after.stderr).toBe(0);
});
