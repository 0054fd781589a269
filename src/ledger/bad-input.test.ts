import { describe, expect, test } from "vitest";
import { openTestLedger, valuesOf } from "./testing/test-ledger.ts";

const source = "site:https://a.b";
const good = { target: "company/a", field: "f", value: 1 };

describe("what cannot be stored is refused, and nothing of its commit is written", () => {
  test.each([
    ["a target of one name", { target: "company" }, "ledger_target"],
    ["..", { target: "company/.." }, "ledger_target"],
    ["an absolute target", { target: "/etc/passwd" }, "ledger_target"],
    ["an empty part", { target: "company//a" }, "ledger_target"],
    ["300 characters", { target: `company/${"a".repeat(300)}` }, "ledger_target"],
    ["a control character", { target: "company/a\u001fb" }, "ledger_target"],
    ["half a character", { target: "company/\ud800" }, "ledger_target"],
    ["a field ..", { field: ".." }, "ledger_field"],
    ["an empty field", { field: "" }, "ledger_field"],
    ["a field of 300 characters", { field: "f".repeat(300) }, "ledger_field"],
    ["a line end in a field", { field: "a\nb" }, "ledger_field"],
    ["white space at the end", { field: "phone " }, "ledger_field"],
    ["a value over 1 MiB", { value: "x".repeat(2 ** 20) }, "ledger_value_too_big"],
    ["not a number", { value: NaN }, "ledger_value"],
    ["a function", { value: { run: () => {} } }, "ledger_value"],
    ["a big integer", { value: 1n }, "ledger_value"],
  ])("%s", async (_name, wrong, code) => {
    await using ledger = await openTestLedger();
    const changes = [good, { ...good, field: "g", ...wrong }];
    await expect(ledger.write({ source, changes })).rejects.toMatchObject({
      kind: "invalid",
      code,
    });
    expect(await valuesOf(ledger, "company/a")).toEqual({});
    expect(ledger.status().datagramsSinceCheckpoint).toBe(0);
  });

  test.each(["", "someone", "hand:", "hand:a\nb"])("source %j", async (wrong) => {
    await using ledger = await openTestLedger();
    const writing = ledger.write({ source: wrong, changes: [good] });
    await expect(writing).rejects.toMatchObject({ code: "ledger_source" });
  });

  test("one field twice in a commit, and a commit that is too big", async () => {
    await using ledger = await openTestLedger();
    const twice = ledger.write({ source, changes: [good, good] });
    await expect(twice).rejects.toMatchObject({ code: "ledger_field_twice" });
    const many = Array.from({ length: 10_001 }, (_, index) => ({ ...good, field: `f${index}` }));
    const big = ledger.write({ source, changes: many });
    await expect(big).rejects.toMatchObject({ code: "ledger_commit_too_big" });
  });
});

describe("what looks odd and is none", () => {
  test("any text comes back as it was, with separators, escapes and halves of characters", async () => {
    const odd = ["a\u001f\u001e\u001bb", "␟␞␛", "\n\r", "\ud800", "", " ", "null", "\u0000"];
    const files = new Map<string, Uint8Array>();
    {
      await using ledger = await openTestLedger({ files });
      const changes = odd.map((value, index) => ({
        target: "company/a",
        field: `f${index}`,
        value,
      }));
      await ledger.write({ source, changes });
    }
    await using ledger = await openTestLedger({ files });
    const values = await valuesOf(ledger, "company/a");
    expect(odd.map((_, index) => values[`f${index}`])).toEqual(odd);
  });

  test("B19: text that is only kept beside the record is cut at 1 MiB, and that is reported", async () => {
    await using ledger = await openTestLedger();
    const value = "ü".repeat(2 ** 20);
    const { cut } = await ledger.write({
      source,
      changes: [{ target: "company/a", field: "sitemap", value }],
    });
    expect(cut).toMatchObject([{ field: "sitemap" }]);
    const stored = (await valuesOf(ledger, "company/a"))["sitemap"] as string;
    expect(value.startsWith(stored)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(2 ** 20);
    expect(cut[0]!.bytes + Buffer.byteLength(stored)).toBe(2 ** 21);
  });
});
