import { expect, test } from "vitest";
import { createKeyTable, keyOf } from "./key-table.ts";

test("a key has the companies it was added for, and only keys of several are shared", () => {
  const table = createKeyTable();
  const expected = new Map<number, number[]>();
  for (let company = 0; company < 5_000; company++) {
    for (const text of [`p ${company % 997}`, `d ${company}`]) {
      const key = keyOf(text);
      table.add(key, company);
      expected.set(key, [...(expected.get(key) ?? []), company]);
    }
  }
  table.seal();
  for (const [key, members] of expected) {
    expect(table.members(key, Infinity)).toEqual(members);
    expect(table.members(key, 1)).toEqual(members.slice(0, 1));
  }
  expect(table.members(keyOf("unknown"), 9)).toEqual([]);
  const shared = new Map([...table.shared(5)].map(({ key, members }) => [key, members]));
  const few = [...expected].filter(([, { length }]) => length >= 2 && length <= 5);
  expect(few.length).toBeGreaterThan(900);
  expect(shared).toEqual(new Map(few));
});

test("keys of one region are next to each other, and those without one differ in all 40 bits", () => {
  const [low, high] = [keyOf("a", 7), keyOf("b", 8)];
  expect([Math.floor(low / 2 ** 28), Math.floor(high / 2 ** 28)]).toEqual([7, 8]);
  const keys = Array.from({ length: 20_000 }, (_, at) => keyOf(`name ${at}`));
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(keys.map((key) => Math.floor(key / 2 ** 28))).size).toBeGreaterThan(4_000);
});
