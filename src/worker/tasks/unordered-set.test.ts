import fc from "fast-check";
import { expect, test } from "vitest";
import { createUnorderedSet } from "./unordered-set.ts";

const items = fc.integer({ min: 0, max: 20 });
const steps = fc.array(fc.tuple(fc.constantFrom("add", "delete"), items), { maxLength: 200 });

test("a set holds what a set would", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const all = Array.from({ length: 21 }, (_, name) => ({ name, place: -1 }));
      const set = createUnorderedSet<(typeof all)[number]>();
      const model = new Set<(typeof all)[number]>();
      for (const [step, name] of history) {
        const item = all[name]!;
        if (step === "delete") expect(set.delete(item)).toBe(model.delete(item));
        else if (!model.has(item)) {
          set.add(item);
          model.add(item);
        }
        expect(set.size).toBe(model.size);
        expect(set.has(item)).toBe(model.has(item));
      }
      expect(new Set(set)).toEqual(model);
    }),
  );
});

test("a loop sees each item once, also when some leave in their turn", () => {
  fc.assert(
    fc.property(fc.uniqueArray(items), (leaving) => {
      const set = createUnorderedSet<{ readonly name: number; place: number }>();
      for (let name = 0; name <= 20; name++) set.add({ name, place: -1 });
      const seen: number[] = [];
      for (const item of set) {
        seen.push(item.name);
        if (leaving.includes(item.name)) set.delete(item);
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, at) => at));
      expect(set.size).toBe(21 - leaving.length);
    }),
  );
});
