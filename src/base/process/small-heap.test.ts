import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../testing/grow-heap.ts", import.meta.url));
const heapOf = (how: string): number =>
  Number(execFileSync(process.execPath, ["--import", "tsx", program, how], { encoding: "utf8" }));

test("the heap of a process that makes much garbage stays small", () => {
  expect(heapOf("small")).toBeLessThan(0.7 * heapOf("as it is"));
});
