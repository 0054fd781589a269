// process: own
// inputs: src/queue/** src/base/**
import Database from "better-sqlite3";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { closeDatabase, finishUpgrade, openDatabase, readFormat } from "./open-database.ts";
import { applicationId, steps } from "./schema.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";
import { damage, makeQueue, openSqliteQueue } from "../testing/filled-queue.ts";
import { startOtherProcess } from "../testing/other-process.ts";
import { canMount, mountSmallDisk } from "../testing/small-disk.ts";
import { createTempFolder } from "../testing/temp-folder.ts";
import { statusesOf } from "../../../testing/suite-fixture.ts";

afterEach(() => vi.restoreAllMocks());

/** Opening must fail like this, leave no connection behind and say which file it is. */
function expectRefused(file: string, expected: { readonly kind: string; readonly code: string }) {
  const closed = vi.spyOn(Database.prototype, "close");
  const before = closed.mock.calls.length;
  expect(() => openSqliteQueueStore({ file })).toThrow(
    expect.objectContaining({ ...expected, message: expect.stringContaining(file) as unknown }),
  );
  return { connectionsClosed: closed.mock.calls.length - before };
}

describe("a file that is not a queue of ours is refused and not written to", () => {
  test("a text file", () => {
    using folder = createTempFolder();
    const text = "not a database, but longer than the header of one would be\n".repeat(100);
    writeFileSync(folder.file, text);
    const refused = expectRefused(folder.file, { kind: "corrupt", code: "queue_corrupt" });
    expect(refused).toEqual({ connectionsClosed: 1 });
    expect(readFileSync(folder.file, "utf8")).toBe(text);
  });

  test("another program's SQLite file", () => {
    using folder = createTempFolder();
    const db = new Database(folder.file);
    db.exec("create table note (text)");
    db.close();
    const bytes = readFileSync(folder.file);
    const refused = expectRefused(folder.file, { kind: "invalid", code: "not_a_queue" });
    expect(refused).toEqual({ connectionsClosed: 1 });
    expect(readFileSync(folder.file).equals(bytes)).toBe(true);
  });

  test.each(["application_id = 77", "user_version = 1"])(
    "another program's SQLite file that has no tables yet (%s)",
    (pragma) => {
      using folder = createTempFolder();
      const db = new Database(folder.file);
      db.pragma(pragma);
      db.close();
      expectRefused(folder.file, { kind: "invalid", code: "not_a_queue" });
    },
  );

  test("a queue of a newer version", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 1);
    const db = new Database(folder.file);
    db.pragma(`user_version = ${steps.length + 1}`);
    db.close();
    const bytes = readFileSync(folder.file);
    expectRefused(folder.file, { kind: "invalid", code: "queue_newer" });
    expect(readFileSync(folder.file).equals(bytes)).toBe(true);
  });

  test("a folder", () => {
    using folder = createTempFolder();
    mkdirSync(folder.file);
    expectRefused(folder.file, { kind: "unavailable", code: "queue_not_opened" });
  });
});

describe("damage", () => {
  test("a garbled header is found when opening", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 100);
    damage(folder.file, 0, 0.001);
    expectRefused(folder.file, { kind: "corrupt", code: "queue_corrupt" });
  });

  test("a file that lost its end is found when opening", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 5_000);
    truncateSync(folder.file, Math.floor(statSync(folder.file).size / 8192) * 4096);
    expectRefused(folder.file, { kind: "corrupt", code: "queue_corrupt" });
  });

  test("after a clean close nothing is checked, and whoever comes upon damage says so", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 5_000);
    damage(folder.file, 0.4, 0.9);
    await using queue = openSqliteQueue({ file: folder.file });
    await expect(queue.browse({ limit: 10_000 })).rejects.toMatchObject({
      kind: "corrupt",
      code: "queue_corrupt",
      message: expect.stringContaining(".recover") as unknown,
    });
  });

  test("after a process was killed the next one checks, until the file is whole", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 5_000);
    const whole = readFileSync(folder.file);
    await using other = await startOtherProcess();
    await other.ask({ ask: "open", file: folder.file });
    await other.kill();
    damage(folder.file, 0.4, 0.9);
    expectRefused(folder.file, { kind: "corrupt", code: "queue_corrupt" });
    // The second try of the same process must not take its own first one for a clean close.
    expectRefused(folder.file, { kind: "corrupt", code: "queue_corrupt" });
    writeFileSync(folder.file, whole);
    await makeQueue(folder.file, 1);
    damage(folder.file, 0.4, 0.9);
    await openSqliteQueue({ file: folder.file })[Symbol.asyncDispose]();
  });

  test("a process that got the number of the dead one checks too", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 5_000);
    const db = new Database(folder.file);
    const boot = db.prepare("select value from meta where name = 'boot'").pluck().get();
    db.prepare("insert into opener (pid, boot) values (?, ?)").run(process.pid, boot);
    db.close();
    damage(folder.file, 0.4, 0.9);
    expectRefused(folder.file, { kind: "corrupt", code: "queue_corrupt" });
  });

  test("a process that opened the file twice is noted until it has closed both", async () => {
    using folder = createTempFolder();
    const openers = () => {
      const db = new Database(folder.file);
      const pids = db.prepare("select pid from opener").pluck().all();
      db.close();
      return pids;
    };
    const first = openSqliteQueue({ file: folder.file });
    const second = openSqliteQueue({ file: folder.file });
    await first[Symbol.asyncDispose]();
    expect(openers()).toEqual([process.pid]);
    await second[Symbol.asyncDispose]();
    expect(openers()).toEqual([]);
  });
});

describe("rights", () => {
  test("a folder that cannot be made", () => {
    using folder = createTempFolder();
    writeFileSync(join(folder.path, "file"), "");
    const file = join(folder.path, "file", "queue.db");
    expect(() => openSqliteQueueStore({ file })).toThrow(
      expect.objectContaining({ kind: "invalid", code: "folder_is_file" }),
    );
  });

  test("a file and a folder that may not be written", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 1);
    const bytes = readFileSync(folder.file);
    chmodSync(folder.file, 0o444);
    chmodSync(folder.path, 0o555);
    try {
      asNobody(() => {
        expectRefused(folder.file, { kind: "unavailable", code: "queue_read_only" });
        const absent = join(folder.path, "absent.db");
        expect(() => openSqliteQueueStore({ file: absent })).toThrow(
          expect.objectContaining({ kind: "unavailable" }),
        );
        expect(existsSync(absent)).toBe(false);
      });
    } finally {
      chmodSync(folder.path, 0o755);
    }
    expect(readFileSync(folder.file).equals(bytes)).toBe(true);
  });

  test.skipIf(!canMount())(
    "a disk that is mounted read-only (needs the right to mount)",
    async () => {
      using disk = mountSmallDisk(8)!;
      const file = join(disk.path, "queue.db");
      await makeQueue(file, 10);
      const open = openSqliteQueue({ file });
      await open[Symbol.asyncDispose]();
      disk.makeReadOnly();
      expectRefused(file, { kind: "unavailable", code: "queue_read_only" });
      expectRefused(join(disk.path, "new.db"), { kind: "unavailable", code: "queue_read_only" });
      expect(() => openSqliteQueueStore({ file: join(disk.path, "sub", "queue.db") })).toThrow(
        expect.objectContaining({ kind: "invalid", code: "disk_read_only" }),
      );
    },
  );
});

/** Root may write anywhere: there the work is done with the rights of nobody. */
function asNobody(work: () => void): void {
  if (process.getuid?.() !== 0) return work();
  process.seteuid!(65_534);
  try {
    work();
  } finally {
    process.seteuid!(0);
  }
}

describe("settings of the connection", () => {
  test.each([
    ["normal", 1],
    ["full", 2],
  ] as const)("durability %s", (durability, synchronous) => {
    using folder = createTempFolder();
    const db = openDatabase(folder.file, durability);
    expect(db.pragma("synchronous", { simple: true })).toBe(synchronous);
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    closeDatabase(db);
  });
});

describe("versions", () => {
  const grow = "alter table wait add column note text not null default 'none'";
  const versionOf = (db: Database.Database) => [
    db.pragma("application_id", { simple: true }),
    db.pragma("user_version", { simple: true }),
  ];

  test("a new file gets all steps and our mark", () => {
    using folder = createTempFolder();
    const db = openDatabase(folder.file, "normal");
    expect(versionOf(db)).toEqual([applicationId, steps.length]);
    closeDatabase(db);
  });

  test("an older file gets the steps it lacks, and keeps what it holds", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 3);
    await (async () => {
      await using queue = openSqliteQueue({ file: folder.file });
      await queue.claim({ worker: "w", kinds: ["work"], limit: 1 });
    })();
    const db = openDatabase(folder.file, "normal", [...steps, grow]);
    expect(readFormat(db)).toEqual({ format: steps.length + 1, readableBy: steps.length });
    expect(db.prepare("select note from wait").pluck().all()).toEqual(["none"]);
    expect(db.prepare("select count(*) from task").pluck().get()).toBe(3);
    closeDatabase(db);
    // Nothing is left to do: a step that came twice would fail.
    const again = openDatabase(folder.file, "normal", [...steps, grow]);
    await makeQueue(folder.file, 1); // the previous version can use it until the upgrade is finished
    expect(finishUpgrade(again)).toEqual({
      format: steps.length + 1,
      readableBy: steps.length + 1,
    });
    expect(versionOf(again)).toEqual([applicationId, steps.length + 1]);
    expectRefused(folder.file, { kind: "invalid", code: "queue_newer" });
    closeDatabase(again);
  });

  test("a file of version 1 keeps its tasks, and has a log from then on", async () => {
    using folder = createTempFolder();
    const finish = async () => {
      await using queue = openSqliteQueue({ file: folder.file });
      const { leases } = await queue.claim({ worker: "w", kinds: ["work"], limit: 2 });
      await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const })));
    };
    await makeQueue(folder.file, 3);
    await finish();
    const db = new Database(folder.file);
    db.exec("drop table log; drop table kept_key; alter table job drop column requests");
    db.pragma("user_version = 1");
    db.close();
    await using queue = openSqliteQueue({ file: folder.file });
    expect((await queue.stats()).states).toMatchObject({ done: 2, pending: 1 });
    expect(await queue.archive({ states: ["done"] })).toBe(2);
    expect((await queue.log()).map(({ key }) => key)).toEqual(["t0", "t1"]);
    expect(statusesOf(await queue.add([{ kind: "work", key: "t0" }]))).toEqual(["duplicate"]);
  });

  test("an upgrade that fails leaves the file as it was", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 3);
    expect(() => openDatabase(folder.file, "normal", [...steps, grow, "no such step"])).toThrow(
      "syntax error",
    );
    const db = new Database(folder.file);
    expect(versionOf(db)).toEqual([applicationId, steps.length]);
    expect(() => db.prepare("select note from wait")).toThrow("no such column");
    db.close();
    await using queue = openSqliteQueue({ file: folder.file });
    expect(await queue.browse()).toHaveLength(3);
  });
});
