import { expect, test } from "vitest";
import { groups } from "./commands/index.ts";
import { registry } from "./registry.ts";

test("forager --help lists each noun and each command without a noun in one group", () => {
  const listed = groups.flatMap(({ names }) => names);
  const tops = new Set(registry.commands.map(({ name }) => name.split(" ")[0]!));
  expect(listed.toSorted()).toEqual([...tops].toSorted());
  // In the order of the groups, which help follows.
  expect([...tops]).toEqual(listed);
});
