import { describe, expect, test } from "vitest";
import { parseConcurrency, parsePools, toSlots } from "./pools.ts";

test("pools: kinds, processes, and one number or two", () => {
  expect(parsePools("page+map=2x5-20, *=1x10")).toEqual([
    { kinds: ["page", "map"], processes: 2, concurrency: { min: 5, max: 20 } },
    { processes: 1, concurrency: 10 },
  ]);
  expect(parseConcurrency("7-7")).toBe(7);
});

describe("invalid pools are refused, with the reason", () => {
  test.each([
    ["", "it has no pool"],
    ["page", "KINDS=PROCESSESxCONCURRENCY"],
    ["page=x4", "KINDS=PROCESSESxCONCURRENCY"],
    ["page=0x4", "0 is not within 1 to 64"],
    ["page=1x0", "0 is not within 1 to 10000"],
    ["page=1x9-4", "9 is more than 4"],
    ["page=0.10x4", "KINDS=PROCESSESxCONCURRENCY"],
  ])("%s", (text, why) => {
    expect(() => parsePools(text)).toThrow(why);
  });
  test("lesson 24: a fraction is not read as another number", () => {
    expect(() => parseConcurrency("0.10")).toThrow("concurrency is a number");
  });
});

test("a slot for each process, with a name of its own", () => {
  const slots = toSlots(parsePools("page=2x3 *=1x1"), "v1");
  expect(slots.map(({ name }) => name)).toEqual(["page-1", "page-2", "all-1"]);
  expect(slots[2]).toEqual({ name: "all-1", concurrency: 1, version: "v1" });
});
