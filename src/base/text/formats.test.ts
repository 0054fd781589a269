import { expect, test } from "vitest";
import { isReadable } from "./formats.ts";

test("E11: what a newer version wrote is readable if it says so, and refused with advice if not", () => {
  expect(isReadable("lease", { format: 1 }, "lease/hub.json")).toBe(true);
  expect(isReadable("lease", { format: 7, readableBy: 1 }, "lease/hub.json")).toBe(true);
  expect(() => isReadable("lease", { format: 7, readableBy: 2 }, "lease/hub.json")).toThrow(
    "lease/hub.json was made by a newer version (format 7, this one knows 1): upgrade this program; nothing was changed",
  );
  expect(() => isReadable("queueShard", { format: 3 }, "shards/0")).toThrow(
    expect.objectContaining({ kind: "invalid", code: "queue_shard_newer" }),
  );
});

test("what has no format is not ours", () => {
  for (const mark of [
    undefined,
    {},
    { format: "1" },
    { format: 0 },
    { format: 1.5 },
    { format: 2, readableBy: "1" },
  ])
    // prettier-ignore
    expect(isReadable("lease", mark, "lease/hub.json")).toBe(false);
});
