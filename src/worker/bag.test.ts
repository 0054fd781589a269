import fc from "fast-check";
import { expect, test } from "vitest";
import { createBag } from "./bag.ts";

const items = fc.integer({ min: 0, max: 20 });
const steps = fc.array(fc.tuple(fc.constantFrom("add", "delete"), items), { maxLength: 200 });

test("a bag holds what a set would", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const all = Array.from({ length: 21 }, (_, name) => ({ name, place: -1 }));
      const bag = createBag<(typeof all)[number]>();
      const model = new Set<(typeof all)[number]>();
      for (const [step, name] of history) {
        const item = all[name]!;
        if (step === "delete") expect(bag.delete(item)).toBe(model.delete(item));
        else if (!model.has(item)) {
          bag.add(item);
          model.add(item);
        }
        expect(bag.size).toBe(model.size);
        expect(bag.has(item)).toBe(model.has(item));
      }
      expect(new Set(bag)).toEqual(model);
    }),
  );
});

test("a loop sees each item once, also when some leave in their turn", () => {
  fc.assert(
    fc.property(fc.uniqueArray(items), (leaving) => {
      const bag = createBag<{ readonly name: number; place: number }>();
      for (let name = 0; name <= 20; name++) bag.add({ name, place: -1 });
      const seen: number[] = [];
      for (const item of bag) {
        seen.push(item.name);
        if (leaving.includes(item.name)) bag.delete(item);
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, at) => at));
      expect(bag.size).toBe(21 - leaving.length);
    }),
  );
});
