import { expect, test } from "vitest";
import { formatAmount } from "./count-words.ts";

test("an amount that is not zero is never shown as zero", () => {
  expect([0.4, 0.004, 0.000021, 5e-9, 0, 3, 12345.5].map(formatAmount)).toEqual(
    ["0.4", "0.004", "0.000021", "0.000000005", "0", "3", "12,345.5"],
  ); // prettier-ignore
});
