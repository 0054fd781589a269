// process: own
// inputs: src/queue/** src/base/**
import Database from "better-sqlite3";
import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock, type Clock, type Timer } from "../../../../base/clock.ts";
import { createTestClock } from "../../../../base/testing/test-clock.ts";
import { createChangeWatch, pollMs } from "./change-watch.ts";
import { openDatabase } from "./open-database.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";
import { addOne, makeQueue, openSqliteQueue } from "../testing/filled-queue.ts";
import { startOtherProcess } from "../testing/other-process.ts";
import { createTempFolder } from "../testing/temp-folder.ts";

afterEach(() => vi.restoreAllMocks());

/** The machine's clock without the poll, whose timers never fire: what is left are file events. */
function clockWithoutPoll(): Clock {
  return {
    ...systemClock,
    setTimer(delayMs, callback, options): Timer {
      if (delayMs < pollMs) return systemClock.setTimer(delayMs, callback, options);
      return { cancel: () => {} };
    },
  };
}

/** Resolves with the next call of the listener; the test's timeout is the only limit. */
function createListener() {
  let wake = () => {};
  let calls = 0;
  return {
    calls: () => calls,
    listener: () => {
      calls += 1;
      wake();
    },
    next: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}

describe("a commit of another process", () => {
  test("is noticed through the file, without the poll", async () => {
    using folder = createTempFolder();
    await makeQueue(folder.file, 1);
    await using store = openSqliteQueueStore({ file: folder.file, clock: clockWithoutPoll() });
    await using other = await startOtherProcess();
    await other.ask({ ask: "open", file: folder.file });
    const heard = createListener();
    const unwatch = store.watch(heard.listener);
    for (const key of ["a", "b", "c"]) {
      const next = heard.next();
      await other.ask({ ask: "commit", operations: [addOne(key)] });
      await next;
      expect(await store.browse({ afterId: 0, limit: 1, keyPrefix: key })).toHaveLength(1);
    }
    unwatch();
  });

  test("is noticed after a checkpoint has emptied the log", async () => {
    using folder = createTempFolder();
    await using store = openSqliteQueueStore({ file: folder.file, clock: clockWithoutPoll() });
    await using other = await startOtherProcess();
    await other.ask({ ask: "open", file: folder.file });
    const heard = createListener();
    store.watch(heard.listener);
    const db = new Database(folder.file);
    expect(db.pragma("wal_checkpoint(truncate)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    db.close();
    const next = heard.next();
    await other.ask({ ask: "commit", operations: [addOne("a")] });
    await next;
  });

  test("is noticed by the poll if the file gives no events", async () => {
    const clock = createTestClock();
    using folder = createTempFolder();
    const db = openDatabase(folder.file, "normal");
    const heard = createListener();
    const file = `${folder.file}-elsewhere`; // so that there is nothing to watch
    const watch = createChangeWatch({ db, file, clock });
    const leave = watch.watch(() => {
      heard.listener();
      if (heard.calls() === 2) leave();
    });
    const queue = openSqliteQueue({ file: folder.file });
    await queue.add([{ kind: "work", key: "a" }]);
    await clock.advance(pollMs - 1);
    expect(heard.calls()).toBe(0);
    await clock.advance(1);
    expect(heard.calls()).toBe(1);
    await clock.advance(5 * pollMs);
    expect(heard.calls()).toBe(1);
    // The listener leaves while it is being called.
    await queue.add([{ kind: "work", key: "b" }]);
    await queue[Symbol.asyncDispose]();
    await clock.advance(pollMs);
    expect([heard.calls(), clock.pendingTimers()]).toEqual([2, 0]);
    db.close();
  });

  test("that can be seen only long after the event is found by a later look", async () => {
    using folder = createTempFolder();
    const db = openDatabase(folder.file, "normal");
    let event = () => {};
    const watch = createChangeWatch({
      db,
      file: folder.file,
      clock: clockWithoutPoll(),
      watchFile: (_, onEvent) => {
        event = onEvent;
        return { on: () => {}, close: () => {} };
      },
    });
    const heard = createListener();
    watch.watch(heard.listener);
    const next = heard.next();
    // Two events close together, and the disk takes its time after the second.
    event();
    await new Promise((resolve) => setTimeout(resolve, 3));
    event();
    await new Promise((resolve) => setTimeout(resolve, 15));
    const writer = new Database(folder.file);
    writer.exec("insert into wait values ('work', 1, 1)");
    await next;
    writer.close();
    watch.close();
    db.close();
  });
});

describe("a commit of this process", () => {
  test("calls every listener, and none that has left", async () => {
    using folder = createTempFolder();
    await using store = openSqliteQueueStore({ file: folder.file, clock: clockWithoutPoll() });
    const [first, second] = [createListener(), createListener()];
    store.watch(first.listener);
    const leave = store.watch(second.listener);
    await store.commit([addOne("a")]);
    expect([first.calls(), second.calls()]).toEqual([1, 1]);
    leave();
    leave();
    await store.commit([addOne("b")]);
    expect([first.calls(), second.calls()]).toEqual([2, 1]);
  });
});

describe("a file that cannot be read", () => {
  test("counts as changed, so that listeners read it and get the error", async () => {
    const clock = createTestClock();
    using folder = createTempFolder();
    const db = openDatabase(folder.file, "normal");
    const watch = createChangeWatch({ db, file: folder.file, clock });
    const heard = createListener();
    watch.watch(heard.listener);
    const version = Object.getPrototypeOf(db.prepare("select 1")) as Database.Statement;
    vi.spyOn(version, "get").mockImplementation(() => {
      throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR");
    });
    await clock.advance(2 * pollMs);
    expect(heard.calls()).toBe(2);
    watch.close();
    db.close();
  });
});

describe("what listening costs", () => {
  test("unsubscribing the last listener, or closing, stops the timers and the watcher", async () => {
    using folder = createTempFolder();
    const clock = createTestClock();
    const watchers = { opened: 0, closed: 0 };
    const db = openDatabase(folder.file, "normal");
    const watch = createChangeWatch({
      db,
      file: folder.file,
      clock,
      watchFile: (_, onEvent) => {
        watchers.opened += 1;
        onEvent();
        return { on: () => {}, close: () => void (watchers.closed += 1) };
      },
    });
    expect(clock.pendingTimers()).toBe(0);
    const leaveFirst = watch.watch(() => {});
    const leaveSecond = watch.watch(() => {});
    leaveFirst();
    expect({ timers: clock.pendingTimers() > 0, ...watchers }).toEqual({
      timers: true,
      opened: 1,
      closed: 0,
    });
    leaveSecond();
    expect({ timers: clock.pendingTimers(), ...watchers }).toEqual({
      timers: 0,
      opened: 1,
      closed: 1,
    });
    watch.watch(() => {});
    watch.close();
    expect({ timers: clock.pendingTimers(), ...watchers }).toEqual({
      timers: 0,
      opened: 2,
      closed: 2,
    });
    db.close();
  });

  test("lesson 20: three idle seconds with a listener cost at most three statements", async () => {
    using folder = createTempFolder();
    await using store = openSqliteQueueStore({ file: folder.file });
    await using other = await startOtherProcess();
    await other.ask({ ask: "open", file: folder.file });
    store.watch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 300)); // what opening stirred up

    const counts = countStatements();
    const startMs = systemClock.monotonicMs();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // On a busy machine they are more than three.
    const seconds = Math.floor((systemClock.monotonicMs() - startMs) / 1_000);
    expect(counts()).toBeGreaterThan(0);
    expect(counts()).toBeLessThanOrEqual(seconds);
  });
});

/** Counts what any connection of this process runs from now on. */
function countStatements(): () => number {
  const db = new Database(":memory:");
  const prototype = Object.getPrototypeOf(db.prepare("select 1")) as Database.Statement;
  db.close();
  const spies = [
    ...(["run", "get", "all", "iterate"] as const).map((name) => vi.spyOn(prototype, name)),
    vi.spyOn(Database.prototype, "exec"),
    vi.spyOn(Database.prototype, "pragma"),
  ];
  return () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
}
