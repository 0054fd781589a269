import { describe, expect, test } from "vitest";
import type { Bucket } from "../../../../bucket/index.ts";
import { createMoment } from "./moment.ts";

const bucketAt = (earliestMs: number, latestMs: number) =>
  ({ now: async () => ({ earliestMs, latestMs }) }) as Bucket;

describe("the clock of a queue in a bucket", () => {
  test("a clock of whole milliseconds: a wait begins one later", async () => {
    const moment = createMoment(bucketAt(5_000, 5_000), undefined);
    const exact = { lateMs: 5_001, wallLateMs: 5_001, graceMs: 0 };
    expect(await moment(0)).toEqual({ ms: 5_000, wallMs: 5_000, ...exact });
  });

  test("an interval: judged by its early end, a wait begins after its late end", async () => {
    const now = await createMoment(bucketAt(5_000, 6_000), undefined)(0);
    expect(now).toMatchObject({ ms: 5_000, wallMs: 6_000 });
    expect(now.lateMs).toBeGreaterThan(6_000);
    expect(now.wallLateMs).toBeGreaterThan(6_000);
    expect(now.graceMs).toBeGreaterThan(0);
  });

  test("is never before the last commit", async () => {
    const now = await createMoment(bucketAt(5_000, 5_000), undefined)(7_000);
    expect(now).toMatchObject({ ms: 7_000, lateMs: 7_001 });
  });

  test("of a test is rounded down and up", async () => {
    const given = () => ({ ms: 5_000.25, wallMs: 8_999.75 });
    expect(await createMoment(bucketAt(1, 1), given)(0)).toEqual({
      ms: 5_000,
      lateMs: 5_001,
      wallMs: 8_999,
      wallLateMs: 9_000,
    });
  });
});
