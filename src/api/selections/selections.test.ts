import { expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createSelections } from "./selections.ts";

test("somebody who selects again and again pushes out their own selections, not those of others", async () => {
  const clock = createTestClock();
  const selections = createSelections<string>({ clock, random: createSeededRandom(1), log: silentLogger }); // prettier-ignore
  const freeze = (by: string) =>
    selections.freeze({ items: ["company/a"], isComplete: true, samples: [] }, by).id;
  const anns = [freeze("ann"), freeze("ann")];
  const evil = Array.from({ length: 50 }, () => freeze("eve"));
  for (const id of anns) expect(selections.show(id)).toMatchObject({ count: 1 });
  expect(() => selections.show(evil[0]!)).toThrow("too old");
  expect(selections.show(evil.at(-1)!)).toMatchObject({ count: 1 });
  expect(selections.list().length).toBeLessThanOrEqual(10);
});
