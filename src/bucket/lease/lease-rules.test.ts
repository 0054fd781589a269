import { describe, expect, test } from "vitest";
import type { LeaseRecord } from "./lease-record.ts";
import { decodeLease, encodeLease } from "./lease-record.ts";
import { deadlineMs, freeAtAgeMs, judgeWrite } from "./lease-rules.ts";

const record: LeaseRecord = {
  format: 1,
  epoch: 3,
  state: "held",
  owner: "pi-1",
  session: "s",
  nonce: "n",
  ttlMs: 60_000,
  sinceMs: 1,
};

describe("the rules of a lease", () => {
  test("the table of outcomes, whole", () => {
    const readBacks = ["mine", "base", "other", undefined] as const;
    const table = (["accepted", "refused", "unknown"] as const).map((answer) =>
      readBacks.map((readBack) => judgeWrite(answer, readBack)),
    );
    expect(table).toEqual([
      ["held", "held", "held", "held"],
      ["held", "again", "lost", "again"],
      ["held", "again", "lost", "again"],
    ]);
  });

  test("the holder stops before, a stranger begins after", () => {
    const times = { ttlMs: 60_000, marginMs: 5_000 };
    expect(deadlineMs(1_000, times)).toBe(56_000);
    expect(freeAtAgeMs(record, times.marginMs)).toBe(65_000);
    expect(freeAtAgeMs({ ...record, state: "released" }, times.marginMs)).toBe(0);
  });
});

describe("the record of a lease", () => {
  test("is this text", () => {
    expect(Buffer.from(encodeLease(record)).toString()).toBe(
      '{"format":1,"epoch":3,"state":"held","owner":"pi-1","session":"s","nonce":"n",' +
        '"ttlMs":60000,"sinceMs":1}\n',
    );
    expect(decodeLease(encodeLease(record), "k")).toEqual(record);
  });

  test("a newer one is refused as newer, anything else as not a lease", () => {
    const decode = (text: string) => () => decodeLease(Buffer.from(text), "lease/hub.json");
    expect(decode('{"format":2}')).toThrow(/newer version \(format 2/);
    for (const text of ["", "hello", "null", "[]", "{}", '{"format":1}', '{"format":"1"}']) {
      expect(decode(text), text).toThrow(/is not a lease/);
    }
    expect(decode(JSON.stringify({ ...record, epoch: 0 }))).toThrow(/is not a lease/);
    expect(decode(JSON.stringify({ ...record, ttlMs: "60" }))).toThrow(/is not a lease/);
  });
});
