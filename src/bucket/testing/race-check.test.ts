import { describe, expect, test } from "vitest";
import { checkActs, checkRegister, firstNonce } from "./race-check.ts";
import type { BucketRaceEvent } from "./race-history.ts";

const key = "k";
const attempt = (
  nonce: string,
  count: number,
  baseNonce: string,
  atMs: number,
): BucketRaceEvent => ({
  event: "try",
  key,
  nonce,
  count,
  baseNonce,
  atMs,
});
const end = (
  event: "wrote" | "refused" | "unknown",
  nonce: string,
  atMs: number,
): BucketRaceEvent => ({
  event,
  key,
  nonce,
  atMs,
});
const read = (nonce: string, count: number, sinceMs: number, atMs: number): BucketRaceEvent => ({
  event: "read",
  key,
  nonce,
  count,
  sinceMs,
  atMs,
});
const good: readonly BucketRaceEvent[] = [
  read(firstNonce, 0, 0, 1),
  attempt("a", 1, firstNonce, 2),
  attempt("b", 1, firstNonce, 2),
  end("wrote", "a", 4),
  end("refused", "b", 5),
  read("a", 1, 6, 7),
  attempt("c", 2, "a", 8),
  end("unknown", "c", 9),
  read("a", 1, 10, 11),
  read("c", 2, 12, 13),
];

describe("the check of a register", () => {
  test("finds nothing in a good history, whatever its order in the files", () => {
    expect(checkRegister(key, good)).toEqual([]);
    expect(checkRegister(key, [...good].reverse())).toEqual([]);
    expect(checkRegister("other", good)).toEqual([]);
  });

  test.each<[string, BucketRaceEvent, RegExp]>([
    ["two winners", end("wrote", "b", 5), /two writes were number 1|refused, and stood/],
    ["a refused write that stands", read("b", 1, 14, 15), /b was refused, and stood/],
    ["a value from nowhere", read("z", 3, 14, 15), /z was read and never written/],
    ["a read that goes back", read("a", 1, 14, 15), /a came after number 2/],
    ["a read of the future", read("c", 2, 1, 3), /c was read before it was written/],
    ["a lost update", attempt("c2", 2, "a", 20), /./],
  ])("finds %s", (name, event, words) => {
    const more = name === "a lost update" ? [event, end("wrote", "c2", 21)] : [event];
    expect(checkRegister(key, [...good, ...more]).join("; ")).toMatch(words);
  });

  test("finds a write that replaced something else than it was to", () => {
    const wrong = [attempt("d", 3, "a", 14), end("wrote", "d", 15)];
    expect(checkRegister(key, [...good, ...wrong])).toEqual([
      "d replaced c, though it was to replace a",
    ]);
  });
});

describe("the check of a role", () => {
  const act = (session: string, epoch: number, atMs: number): BucketRaceEvent => ({
    event: "act",
    session,
    epoch,
    atMs,
  });
  test("finds overlapping holders and shared epochs, and nothing else", () => {
    expect(checkActs([act("b", 2, 3), act("a", 1, 1), act("a", 1, 2)])).toEqual([]);
    expect(checkActs([act("a", 1, 1), act("b", 2, 2), act("a", 1, 3)])).toHaveLength(1);
    expect(checkActs([act("a", 1, 1), act("b", 1, 2)])).toHaveLength(1);
  });
});
