// inputs: src/queue/** src/base/**
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestClock } from "../../../../base/testing/test-clock.ts";
import type { Queue } from "../../../queue.ts";
import { createWaker } from "../../../waker.ts";
import { checkEveryMs } from "./file-guard.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";
import { addOne, makeQueue, openSqliteQueue, queueOf } from "../testing/filled-queue.ts";
import { startOtherProcess } from "../testing/other-process.ts";
import { createTempFolder } from "../testing/temp-folder.ts";
import { statusesOf } from "../../../testing/suite-fixture.ts";

const lost = expect.objectContaining({ kind: "corrupt", code: "queue_file_replaced" }) as unknown;
const otherFiles = expect.objectContaining({
  kind: "corrupt",
  code: "queue_wal_of_other_file",
}) as unknown;
const besides = (file: string) => [`${file}-wal`, `${file}-shm`];

const removeQueue = (file: string) => {
  for (const path of [file, ...besides(file)]) rmSync(path);
};

/** A queue with 3 tasks that no process has open, to be moved over another. */
async function makeBackup(folder: string): Promise<string> {
  const backup = join(folder, "backup.db");
  await makeQueue(backup, 3);
  return backup;
}

const keysOf = async (queue: Queue) => (await queue.browse()).map(({ key }) => key);

/** A process that adds the task "old" and is killed: its log stays, and holds that task. */
async function crashWith(file: string): Promise<void> {
  await using other = await startOtherProcess();
  await other.ask({ ask: "open", file });
  await other.ask({ ask: "commit", operations: [addOne("old")] });
  await other.kill();
}

describe("a queue whose file is deleted or replaced under it", () => {
  const calls: Readonly<Record<string, (queue: Queue) => Promise<unknown>>> = {
    add: (queue) => queue.add([{ kind: "work", key: "more" }]),
    claim: (queue) => queue.claim({ worker: "w", kinds: ["work"] }),
    extend: (queue) => queue.extend([{ id: 1, token: 1 }], 1_000),
    finish: (queue) => queue.finish([{ id: 1, token: 1, outcome: { kind: "done" } }]),
    sweep: (queue) => queue.sweep(),
    stats: (queue) => queue.stats(),
    browse: (queue) => queue.browse(),
    show: (queue) => queue.show(1),
    job: (queue) => queue.job("default"),
    wakeInMs: (queue) => queue.wakeInMs(["work"]),
    now: (queue) => queue.now(),
    reconcile: (queue) => queue.reconcile(),
  };

  test("acknowledges nothing more, and every call says so until it is opened again", async () => {
    using folder = createTempFolder();
    const queue = openSqliteQueue({ file: folder.file });
    await queue.add([{ kind: "work", key: "kept" }]);
    removeQueue(folder.file);
    await expect(queue.add([{ kind: "work", key: "a" }])).rejects.toEqual(lost);
    for (const [name, call] of Object.entries(calls)) {
      await expect(call(queue), name).rejects.toEqual(lost);
    }
    await expect(queue.gone).rejects.toEqual(lost);
    await queue[Symbol.asyncDispose]();
    await using again = openSqliteQueue({ file: folder.file });
    expect(statusesOf(await again.add([{ kind: "work", key: "a" }]))).toEqual(["added"]);
  });

  test.each(["add", "claim", "sweep"])("notices it with the first commit (%s)", async (name) => {
    using folder = createTempFolder();
    await using queue = openSqliteQueue({ file: folder.file });
    renameSync(await makeBackup(folder.path), folder.file);
    await expect(calls[name]!(queue)).rejects.toEqual(lost);
  });

  test("notices that only its log was deleted", async () => {
    using folder = createTempFolder();
    await using queue = openSqliteQueue({ file: folder.file });
    rmSync(`${folder.file}-wal`);
    await expect(queue.add([{ kind: "work", key: "a" }])).rejects.toEqual(lost);
  });

  test("notices it behind a symbolic link, of the link and of the file", async () => {
    using folder = createTempFolder();
    const link = join(folder.path, "link.db");
    await makeQueue(folder.file, 1);
    symlinkSync(folder.file, link);
    await using queue = openSqliteQueue({ file: link });
    expect(statusesOf(await queue.add([{ kind: "work", key: "a" }]))).toEqual(["added"]);
    await using other = openSqliteQueue({ file: folder.file });
    rmSync(link);
    symlinkSync(await makeBackup(folder.path), link);
    await expect(queue.add([{ kind: "work", key: "b" }])).rejects.toEqual(lost);
    expect(statusesOf(await other.add([{ kind: "work", key: "b" }]))).toEqual(["duplicate"]);
  });

  test("wakes a worker that waits for work, which gets the error", async () => {
    const clock = createTestClock();
    using folder = createTempFolder();
    await using queue = queueOf(openSqliteQueueStore({ file: folder.file, clock }));
    using waker = createWaker({ queue, kinds: ["work"], clock });
    const waiting = waker.wait(waker.mark());
    const ended = expect(waiting).rejects.toEqual(lost);
    await clock.advance(checkEveryMs * 3);
    removeQueue(folder.file);
    await clock.advance(checkEveryMs);
    await ended;
    await expect(queue.gone).rejects.toEqual(lost);
  });

  test("leaves the file and the log of a second opener alone when it is closed", async () => {
    using folder = createTempFolder();
    const first = openSqliteQueue({ file: folder.file });
    await first.add([{ kind: "work", key: "first" }]);
    removeQueue(folder.file);
    await using other = await startOtherProcess();
    await other.ask({ ask: "open", file: folder.file });
    await other.ask({ ask: "commit", operations: [addOne("second")] });
    await first[Symbol.asyncDispose]();
    expect(existsSync(`${folder.file}-wal`)).toBe(true);
    await other.ask({ ask: "commit", operations: [addOne("third")] });
    await other.kill();
    await using again = openSqliteQueue({ file: folder.file });
    expect(await keysOf(again)).toEqual(["second", "third"]);
  });
});

describe("a backup that is moved over a queue", () => {
  test("is not mixed with the log of the queue it replaces, while that is open", async () => {
    using folder = createTempFolder();
    const { file } = folder;
    const first = openSqliteQueue({ file });
    await first.add([{ kind: "work", key: "first" }]);
    renameSync(await makeBackup(folder.path), file);
    expect(() => openSqliteQueueStore({ file })).toThrow(otherFiles);
    await expect(first.add([{ kind: "work", key: "a" }])).rejects.toEqual(lost);
    await first[Symbol.asyncDispose]();
    expect(() => openSqliteQueueStore({ file })).toThrow(otherFiles);
    // What the error says to do.
    for (const path of besides(file)) rmSync(path, { force: true });
    await using restored = openSqliteQueue({ file });
    expect(await keysOf(restored)).toEqual(["t0", "t1", "t2"]);
  });

  test.each(["moved", "deleted, then copied", "deleted"])(
    "is not mixed with the log of a process that crashed (%s)",
    async (how) => {
      using folder = createTempFolder();
      const { file } = folder;
      await crashWith(file);
      const backup = await makeBackup(folder.path);
      if (how === "moved") renameSync(backup, file);
      else rmSync(file);
      if (how === "deleted, then copied") copyFileSync(backup, file);
      const before = [file, `${file}-wal`].map((path) => existsSync(path) && readFileSync(path));
      expect(() => openSqliteQueueStore({ file })).toThrow(otherFiles);
      const after = [file, `${file}-wal`].map((path) => existsSync(path) && readFileSync(path));
      expect(after).toEqual(before);
      for (const path of besides(file)) rmSync(path, { force: true });
      await using restored = openSqliteQueue({ file });
      expect(await keysOf(restored)).toEqual(how === "deleted" ? [] : ["t0", "t1", "t2"]);
    },
  );

  test("takes effect at once where the log was deleted first", async () => {
    using folder = createTempFolder();
    const { file } = folder;
    await crashWith(file);
    for (const path of besides(file)) rmSync(path);
    renameSync(await makeBackup(folder.path), file);
    await using restored = openSqliteQueue({ file });
    expect(await keysOf(restored)).toEqual(["t0", "t1", "t2"]);
  });
});

describe("a log that belongs to its file is used", () => {
  test("after a crash", async () => {
    using folder = createTempFolder();
    await crashWith(folder.file);
    await using queue = openSqliteQueue({ file: folder.file });
    expect(await keysOf(queue)).toEqual(["old"]);
  });

  test.each([
    ["with the note", ["", "-wal", "-id"]],
    ["without it", ["", "-wal"]],
  ])("in a copy of the folder %s", async (_, names) => {
    using folder = createTempFolder();
    await crashWith(folder.file);
    const copy = join(folder.path, "copy.db");
    for (const name of names) copyFileSync(`${folder.file}${name}`, `${copy}${name}`);
    await using queue = openSqliteQueue({ file: copy });
    expect(await keysOf(queue)).toEqual(["old"]);
  });

  test("where the note cannot be understood", async () => {
    using folder = createTempFolder();
    await crashWith(folder.file);
    writeFileSync(`${folder.file}-id`, "?");
    await using queue = openSqliteQueue({ file: folder.file });
    expect(await keysOf(queue)).toEqual(["old"]);
  });
});
