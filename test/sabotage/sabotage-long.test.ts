// needs: postgres pgbouncer
// long: sabotage
import { describe, expect, test } from "vitest";
import { needs } from "../support/services.ts";
import { sabotageLists } from "./lists.ts";
import { openWorkshop } from "./workshop.ts";

needs(["postgres", "pgbouncer"], () => {
  describe.each(Object.values(sabotageLists))("the sabotages of the $name", ({ sabotages }) => {
    test(
      "are all caught by the tests they name",
      async () => {
        using workshop = openWorkshop();
        expect(await workshop.baseline(sabotages)).toEqual([]);
        const missed: string[] = [];
        for (const sabotage of sabotages) {
          const verdict = await workshop.judge(sabotage);
          if (verdict !== "caught") missed.push(`${verdict}: ${sabotage.name}`);
        }
        expect(missed).toEqual([]);
      },
      sabotages.length * 120_000,
    );
  });
});
