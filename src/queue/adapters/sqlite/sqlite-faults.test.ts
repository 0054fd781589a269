// process: own
// inputs: src/queue/** src/base/**
import Database from "better-sqlite3";
import { closeSync, cpSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Queue } from "../../queue.ts";
import { expectExactCounters } from "../../testing/suite-recount.ts";
import { openSqliteQueueStore } from "./sqlite-queue-store.ts";
import { addOne, openSqliteQueue, queueOf } from "./testing/filled-queue.ts";
import { startOtherProcess } from "./testing/other-process.ts";
import { canMount, mountSmallDisk } from "./testing/small-disk.ts";
import { createTempFolder } from "./testing/temp-folder.ts";
import { statusesOf } from "../../testing/suite-fixture.ts";

afterEach(() => vi.restoreAllMocks());

const claimAll = { worker: "w", kinds: ["work"], limit: 1_000 };

/** Adds tasks of 2 KiB until the disk is full; returns the keys that were acknowledged. */
async function fill(queue: Queue, prefix: string): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (let index = 0; index < 10_000; index++) {
    const key = `${prefix}${index}`;
    try {
      await queue.add([{ kind: "work", key, payload: "x".repeat(2_048) }]);
    } catch (error) {
      expect(error).toMatchObject({ kind: "unavailable", code: "disk_full" });
      return acknowledged;
    }
    acknowledged.push(key);
  }
  throw new Error("the disk was never full");
}

const keysOf = async (queue: Queue) =>
  (await queue.browse({ limit: 10_000 })).map(({ key }) => key);

describe("a full disk", () => {
  test("stops new work, loses nothing, and the queue continues where there is room", async () => {
    using folder = createTempFolder();
    const pragma = vi.spyOn(Database.prototype, "pragma");
    const store = openSqliteQueueStore({ file: folder.file });
    const connection = pragma.mock.contexts[0] as Database.Database;
    const pages = Number(connection.pragma("page_count", { simple: true }));
    await using queue = queueOf(store);

    connection.pragma(`max_page_count = ${pages + 100}`);
    const first = await fill(queue, "a");
    expect(first.length).toBeGreaterThan(10);
    expect(await keysOf(queue)).toEqual(first);
    await expectExactCounters(store);

    connection.pragma(`max_page_count = ${pages + 10_000}`);
    await queue.add([{ kind: "work", key: "later" }]);
    const { leases } = await queue.claim(claimAll);
    expect(leases.map(({ key }) => key)).toEqual([...first, "later"]);
    await expectExactCounters(store);
  });

  test("a commit that fails midway leaves nothing of itself, not even in the caches", async () => {
    using folder = createTempFolder();
    const pragma = vi.spyOn(Database.prototype, "pragma");
    const store = openSqliteQueueStore({ file: folder.file });
    const connection = pragma.mock.contexts[0] as Database.Database;
    await using queue = queueOf(store);
    await queue.openJob("j", { budget: 100 });
    await queue.setGate("g", { limit: 3 });
    await queue.add([{ kind: "work", key: "a", job: "j", gate: "g" }]);
    const { now: _, ...before } = await store.counts();

    const pages = Number(connection.pragma("page_count", { simple: true }));
    connection.pragma(`max_page_count = ${pages}`);
    const big = Array.from({ length: 90 }, (_, index) => ({
      kind: index % 2 === 0 ? "work" : "other",
      key: `b${index}`,
      job: "j",
      gate: index % 3 === 0 ? "g" : `new${index}`,
      payload: "x".repeat(2_048),
    }));
    const failed = await Promise.allSettled([
      queue.raise([{ key: "a", job: "j", gate: "g", priority: 900 }]),
      queue.claim(claimAll),
      queue.add(big),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await store.counts()).toMatchObject(before);
    await expectExactCounters(store);

    connection.pragma(`max_page_count = ${pages + 10_000}`);
    expect(statusesOf(await queue.add(big))).toEqual(big.map(() => "added"));
    expect(await queue.job("j")).toMatchObject({ added: 91, pending: 91, overBudget: 0 });
    expect((await queue.raise([{ key: "a", job: "j", gate: "g", priority: 900 }]))[0]).toBe(
      "raised",
    );
    expect((await queue.stats()).raises).toEqual({ raised: 1, unchanged: 0 });
    await expectExactCounters(store);
  });

  test.skipIf(!canMount())(
    "a real one: nothing acknowledged is lost, also for the next opener (needs the right to mount)",
    async () => {
      using disk = mountSmallDisk(4)!;
      const file = join(disk.path, "queue.db");
      const ballast = join(disk.path, "ballast");
      const handle = openSync(ballast, "w");
      writeSync(handle, Buffer.alloc(1_000_000));
      closeSync(handle);

      const store = openSqliteQueueStore({ file });
      const queue = queueOf(store);
      const first = await fill(queue, "a");
      expect(first.length).toBeGreaterThan(10);
      expect(await keysOf(queue)).toEqual(first);
      rmSync(ballast);
      const second = await fill(queue, "b");
      expect(second.length).toBeGreaterThan(10);
      // The disk is full again: closing must not fail for that.
      await queue[Symbol.asyncDispose]();

      using larger = mountSmallDisk(32)!;
      cpSync(disk.path, larger.path, { recursive: true });
      const next = openSqliteQueueStore({ file: join(larger.path, "queue.db") });
      await using reopened = queueOf(next);
      expect(await keysOf(reopened)).toEqual([...first, ...second]);
      await expectExactCounters(next);
      await reopened.add([{ kind: "work", key: "later" }]);
      expect((await reopened.claim(claimAll)).leases).toHaveLength(
        first.length + second.length + 1,
      );
    },
  );
});

describe("another process that writes", () => {
  test("for a while: the commit waits, and the event loop turns meanwhile", async () => {
    using folder = createTempFolder();
    // Long enough that a wait which blocks the loop is seen below, however busy the machine.
    const store = openSqliteQueueStore({ file: folder.file, busyMs: 60_000 });
    await using queue = queueOf(store);
    await using other = await startOtherProcess();
    await other.ask({ ask: "hold", file: folder.file });
    let isAdded = false;
    const adding = queue.add([{ kind: "work", key: "a" }]).finally(() => (isAdded = true));
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isAdded).toBe(false);
    await other.ask({ ask: "release" });
    expect(statusesOf(await adding)).toEqual(["added"]);
  });

  test("for a while: reading continues at once", async () => {
    using folder = createTempFolder();
    await using queue = openSqliteQueue({ file: folder.file });
    await queue.add([{ kind: "work", key: "a" }]);
    await using other = await startOtherProcess();
    await other.ask({ ask: "hold", file: folder.file });
    expect(await queue.browse()).toHaveLength(1);
    expect((await queue.stats()).states.pending).toBe(1);
    expect(await queue.wakeInMs(["work"])).toBe(0);
  });

  test("for longer than a commit waits: it is refused, and may be repeated", async () => {
    using folder = createTempFolder();
    const store = openSqliteQueueStore({ file: folder.file, busyMs: 100 });
    const db = new Database(folder.file);
    db.exec("begin immediate");
    await expect(store.commit([addOne("a")])).rejects.toMatchObject({
      kind: "unavailable",
      code: "queue_busy",
      message: expect.stringContaining(folder.file) as unknown,
    });
    await expect(store.reconcile({ repair: true })).rejects.toMatchObject({ code: "queue_busy" });
    db.close();
    expect(await store.commit([addOne("a")])).toMatchObject([[{ status: "added" }]]);
    expect(await store.browse({ afterId: 0, limit: 10 })).toHaveLength(1);
    await store[Symbol.asyncDispose]();
  });

  test("while the queue is closed: that is not an error, and nothing is lost", async () => {
    using folder = createTempFolder();
    const queue = openSqliteQueue({ file: folder.file });
    await queue.add([{ kind: "work", key: "a" }]);
    const db = new Database(folder.file);
    db.exec("begin immediate");
    await queue[Symbol.asyncDispose]();
    db.close();
    await using next = openSqliteQueue({ file: folder.file });
    expect(await next.browse()).toHaveLength(1);
  });
});
