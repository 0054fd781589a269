// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { mountSmallDisk } from "../../src/queue/adapters/sqlite/testing/small-disk.ts";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import {
  expectWrittenOnce,
  ownerPid,
  startNodeWriter,
  type NodeWriter,
} from "../support/node-writers.ts";

let sandbox: Sandbox;
let folder = "";
beforeEach(async () => {
  sandbox = await createSandbox();
  folder = join(sandbox.folder, "data");
});
afterEach(() => sandbox.remove());

const endless = 10_000_000;
const gone = /ledger_file_replaced|data_folder_gone/u;

/** An owner and a client that write without end. */
async function startTwo(): Promise<readonly [NodeWriter, NodeWriter]> {
  const owner = await startNodeWriter({ folder, name: "owner", fields: endless });
  await owner.opened;
  const client = await startNodeWriter({ folder, name: "client", fields: endless });
  await untilWriting([owner, client]);
  return [owner, client];
}

async function untilWriting(writers: readonly NodeWriter[]): Promise<void> {
  for (const { acknowledged } of writers) {
    const before = acknowledged().length;
    await expect.poll(() => acknowledged().length, { interval: 5 }).toBeGreaterThan(before + 50);
  }
}

const set = (data: string) =>
  sandbox.forager(["ledger", "set", "company/x", "name=X", "--data", data]);

test("a folder that is moved away: owner and client end, and all they acknowledged is where it went", async () => {
  const writers = await startTwo();
  const moved = join(sandbox.folder, "moved");
  renameSync(folder, moved);
  expect(await Promise.all(writers.map(({ done }) => done))).toEqual([false, false]);
  for (const { errors } of writers) expect(errors()).toMatch(gone);
  expect(existsSync(join(folder, "ledger"))).toBe(false);
  // Another process can use both: the one that is there now, and the one that was moved.
  expect(await set("data")).toMatchObject({ exitCode: 0 });
  await expectWrittenOnce(sandbox, moved, writers);
  expect(await set("moved")).toMatchObject({ exitCode: 0 });
});

test("a folder that is deleted: owner and client end, and make no new one", async () => {
  const writers = await startTwo();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  expect(await Promise.all(writers.map(({ done }) => done))).toEqual([false, false]);
  for (const { errors } of writers) {
    expect(errors()).toMatch(gone);
  }
  expect(existsSync(join(folder, "ledger"))).toBe(false);
});

test("a backup that is put in its place: the processes of the former folder do not write to it", async () => {
  const writers = await startTwo();
  // As a backup program would copy it, while it is written.
  const backup = join(sandbox.folder, "backup");
  cpSync(folder, backup, { recursive: true });
  await untilWriting(writers);
  const former = join(sandbox.folder, "former");
  renameSync(folder, former);
  renameSync(backup, folder);
  expect(await Promise.all(writers.map(({ done }) => done))).toEqual([false, false]);
  await expectWrittenOnce(sandbox, former, writers);
  expect(await set("data")).toMatchObject({ exitCode: 0 });
  // The restored one is sound, and nothing came to it from the former processes.
  expect(await expectWrittenOnce(sandbox, folder, [])).toBeGreaterThan(100);
});

test("a full disk: clients get an error, nothing acknowledged is lost, and work continues when there is room", async () => {
  const disk = mountSmallDisk(8);
  if (!disk) return expect(process.getuid?.()).not.toBe(0); // only root can mount one
  onTestFinished(() => disk[Symbol.dispose]());
  folder = join(disk.path, "data");
  const owner = await startNodeWriter({ folder, name: "owner", fields: 10 });
  await owner.done;
  const client = await startNodeWriter({ folder, name: "client", fields: endless });
  await untilWriting([client]);
  const filler = join(disk.path, "filler");
  const fill = () => {
    for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
      try {
        for (;;) writeFileSync(filler, "x".repeat(size), { flag: "a" });
      } catch {
        // full for pieces of this size
      }
    }
  };
  fill();
  expect(await client.done).toBe(false);
  expect(client.errors()).toContain("disk_full");
  fill(); // what the client has closed
  // More than fits into the last block of the journal.
  const long = `about=${"x".repeat(50_000)}`;
  const refused = await sandbox.forager(["ledger", "set", "company/x", long, "--data", folder]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toContain(`the disk at ${disk.path} is full`);
  expect(ownerPid(folder)).toBe(owner.child.pid);
  rmSync(filler);
  expect(await set(folder)).toMatchObject({ exitCode: 0 });
  expect(ownerPid(folder)).toBe(owner.child.pid);
  await expectWrittenOnce(sandbox, folder, [owner, client]);
});
