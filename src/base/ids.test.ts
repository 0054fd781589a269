import { expect, test } from "vitest";
import { createId } from "./ids.ts";
import { createSeededRandom, systemRandom } from "./random.ts";

test("an id has 26 characters of Crockford's base 32, or as many as asked for", () => {
  expect(createId(systemRandom)).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  expect(createId(systemRandom, 8)).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
});

test("the ids of a seed are the same for ever: kept seeds must replay", () => {
  const random = createSeededRandom(1);
  expect([createId(random), createId(random, 8)]).toEqual([
    "k9bxbggwghaex20jap1cb1k3xt",
    "4ymww6ja",
  ]);
});

test("100,000 ids are all different and use every character evenly", () => {
  const random = createSeededRandom(9);
  const ids = Array.from({ length: 100_000 }, () => createId(random));
  expect(new Set(ids).size).toBe(ids.length);
  const counts = new Map<string, number>();
  for (const character of ids.join("")) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const expected = (ids.length * 26) / 32;
  expect(counts.size).toBe(32);
  for (const count of counts.values()) expect(Math.abs(count / expected - 1)).toBeLessThan(0.03);
});
