import { describe, expect, test } from "vitest";
import { createAlertBook, type Trouble } from "./alert-book.ts";
import { differencesOf } from "./differences.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { createYieldStallDetector, fruitlessMin } from "./yield-stall.ts";
import { createZombieDetector, type WorkerReading } from "./zombie.ts";

const minuteMs = 60_000;
const stallMs = 15 * minuteMs;

test("a trouble is reported once when it begins and once when it ends", () => {
  const book = createAlertBook();
  const stall: Trouble = { name: "stall", of: "kind", part: "page", forMs: 5 };
  expect(book.update([stall])).toEqual([
    { event: "stall_began", of: "kind", part: "page", forMs: 5 },
  ]);
  expect(book.update([{ ...stall, forMs: 9 }])).toEqual([]);
  expect(book.now()).toMatchObject([{ event: "stall_began", forMs: 9 }]);
  const shard: Trouble = { ...stall, of: "shard" };
  expect(book.update([shard]).map(({ event, of }) => `${event} ${of}`)).toEqual([
    "stall_began shard",
    "stall_ended kind",
  ]);
  expect(book.update([])).toMatchObject([{ event: "stall_ended", of: "shard" }]);
  expect(book.now()).toEqual([]);
});

describe("A7: a zombie", () => {
  const worker: WorkerReading = {
    worker: "all-1",
    pid: 7,
    kinds: ["page", "map"],
    concurrency: 2,
    atWork: 1,
    completed: 40,
  };
  /** Reads once a minute, and says in which it is one. */
  function zombieMinutes(
    at: (minute: number) => { readonly claimable?: number } & Partial<WorkerReading>,
  ): number[] {
    const detector = createZombieDetector({ stallMs: () => stallMs });
    return Array.from({ length: 40 }, (_, minute) => minute).filter((minute) => {
      const { claimable = 3, ...more } = at(minute);
      const claimables = new Map([["map", claimable]]);
      return detector.read([{ ...worker, ...more }], claimables, minute * minuteMs).length > 0;
    });
  }

  test("sends heartbeats, could work, and completes nothing for 15 minutes", () => {
    const minutes = zombieMinutes((minute) => ({ completed: minute < 30 ? 40 : 41 }));
    expect(minutes[0]).toBe(15);
    expect(minutes.at(-1)).toBe(29);
  });
  test("is not one whose slots are full of long tasks", () => {
    expect(zombieMinutes(() => ({ atWork: 2 }))).toEqual([]);
  });
  test("is not one whose kinds have nothing to do now and then", () => {
    expect(zombieMinutes((minute) => ({ claimable: minute % 14 === 0 ? 0 : 3 }))).toEqual([]);
  });
  test("is not one that was replaced meanwhile", () => {
    expect(zombieMinutes((minute) => ({ pid: minute < 10 ? 7 : 8 }))[0]).toBe(25);
  });
});

describe("A7: a yield stall", () => {
  /** Each minute this many tasks are done, and yield this much. */
  function stallMinutes(at: (minute: number) => { done: number; yielded: number }): number[] {
    const detector = createYieldStallDetector({ stallMs: () => stallMs });
    return Array.from({ length: 60 }, (_, minute) => minute).filter(
      (minute) => detector.read([{ kind: "page", ...at(minute) }], minute * minuteMs).length > 0,
    );
  }

  test("is pages fetched and nothing found in them, for 15 minutes", () => {
    const minutes = stallMinutes((minute) => ({
      done: minute * 5,
      yielded: minute < 50 ? Math.min(minute, 10) : 11,
    }));
    // What the tasks of the tenth minute brought was the last of it.
    expect(minutes[0]).toBe(11 + 15);
    expect(minutes.at(-1)).toBe(49);
  });
  test("is not one while something is found now and then", () => {
    expect(stallMinutes((minute) => ({ done: minute, yielded: Math.floor(minute / 14) }))).toEqual(
      [],
    );
  });
  test("is not one where nothing is done, nor of a few tasks", () => {
    expect(stallMinutes(() => ({ done: 500, yielded: 3 }))).toEqual([]);
    const few = fruitlessMin - 1;
    expect(stallMinutes((minute) => ({ done: Math.min(minute, few), yielded: 0 }))).toEqual([]);
  });
});

describe("A7: nodes that differ from the fleet", () => {
  const beat = (node: string, more: Partial<Heartbeat> = {}) =>
    ({ node, pid: 1, queue: "s3://b/q", version: "1.2.0", config: "aa", ...more }) as Heartbeat;

  test("are named with what differs, by what most have", () => {
    const fleet = [
      beat("pi-1"),
      beat("pi-2", { version: "1.1.0" }),
      beat("pi-3", { queue: "sqlite:queue.db", config: "bb" }),
      beat("pi-4"),
    ];
    expect(differencesOf(fleet)).toEqual([
      {
        name: "differs",
        of: "node",
        part: "pi-2-1",
        forMs: 0,
        what: "runs another version (1.1.0, not 1.2.0)",
      },
      {
        name: "differs",
        of: "node",
        part: "pi-3-1",
        forMs: 0,
        what:
          "works on another queue (sqlite:queue.db, not s3://b/q), " +
          "has other settings (bb, not aa)",
      },
    ]);
  });
  test("are none in a fleet that agrees, or in one of one", () => {
    expect(differencesOf([beat("a"), beat("b")])).toEqual([]);
    expect(differencesOf([beat("a", { version: "x" })])).toEqual([]);
    expect(differencesOf([])).toEqual([]);
  });
  test("two that differ: one of them is named, and always the same", () => {
    const [a, b] = [beat("a"), beat("b", { version: "2" })];
    expect(differencesOf([a, b])).toEqual(differencesOf([b, a]));
    expect(differencesOf([a, b])).toHaveLength(1);
  });
});
