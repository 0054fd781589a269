import { expect, test } from "vitest";
import { createLeaseBook } from "./lease-book.ts";

const lease = (kind: "claimed" | "ended", id: number, token = id) => ({
  kind,
  id,
  token,
  task: `task ${id}`,
});

test("what a killed node held is taken over by whoever claims it next", () => {
  const book = createLeaseBook();
  for (const id of [1, 2, 3]) book.note("one", lease("claimed", id), 0);
  book.note("two", lease("claimed", 4), 0);
  book.note("one", lease("ended", 2), 10);
  expect([book.holds("one"), book.holds("two")]).toEqual([2, 1]);
  book.bury("one", 100);
  expect(book.holds("one")).toBe(0);
  book.note("two", lease("claimed", 3, 33), 4_100);
  expect(book.isAllTaken()).toBe(false);
  book.note("two", lease("ended", 3, 33), 4_200);
  book.note("three", lease("claimed", 3, 34), 5_000);
  expect(book.takeOvers()).toEqual([
    { id: 1, task: "task 1", from: "one", by: undefined, afterMs: undefined },
    { id: 3, task: "task 3", from: "one", by: "two", afterMs: 4_000 },
  ]);
  book.note("two", lease("claimed", 1, 35), 6_000);
  expect(book.isAllTaken()).toBe(true);
});

test("an end of an older lease, and a claim that is told late, change nothing", () => {
  const book = createLeaseBook();
  book.note("one", lease("claimed", 1, 5), 0);
  book.note("two", lease("claimed", 1, 9), 10);
  book.note("one", lease("ended", 1, 5), 20);
  book.note("one", lease("claimed", 1, 5), 30);
  expect([book.holds("one"), book.holds("two")]).toEqual([0, 1]);
});
