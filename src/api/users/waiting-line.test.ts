import { expect, test } from "vitest";
import { createWaitingLine } from "./waiting-line.ts";

/** Joins in this order, and returns who left the line, in order. */
function setup(max: number) {
  const line = createWaitingLine(max);
  const left: string[] = [];
  const join = (id: string, sinceMs: number) =>
    void line.join({ id, sinceMs }).then((isTurn) => left.push(`${id} ${isTurn ? "turn" : "out"}`));
  return { line, left, join };
}

test("next is who has asked for the longest time, and when the line is full the newest leaves", async () => {
  const { line, left, join } = setup(3);
  join("b", 20);
  join("c", 30);
  join("a", 10);
  join("d", 40);
  join("early", 5);
  for (let count = 0; count < 4; count++) line.next();
  await Promise.resolve();
  expect(left).toEqual(["d out", "c out", "early turn", "a turn", "b turn"]);
  expect(line.size()).toBe(0);
});

test("a place with many attempts has one turn before others have theirs", async () => {
  const { line, left, join } = setup(3);
  for (let count = 0; count < 3; count++) join("old", 1);
  join("new", 50);
  for (let count = 0; count < 3; count++) line.next();
  await Promise.resolve();
  expect(left).toEqual(["old out", "old turn", "new turn", "old turn"]);
});
