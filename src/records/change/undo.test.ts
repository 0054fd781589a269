import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { deleteRecord } from "./delete-record.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";
import { manualChanges, planUndo } from "./undo.ts";
import { targetOfKey } from "../testing/company-targets.ts";

const source = "hand:anna";
const target = targetOfKey("acme.com");
const other = targetOfKey("best.com");

async function openTwo(): Promise<TestRecords> {
  const at = await openTestRecords();
  const machine = "place:osm";
  const fields = { name: "Acme", domain: "acme.com", city: "Köln", "email/a@acme.com": true };
  await at.records.create({ source: machine, fields });
  await at.records.create({ source: machine, fields: { name: "Best", domain: "best.com" } });
  await at.clock.advance(60_000);
  return at;
}

const all = (at: TestRecords) =>
  manualChanges(at.ledger, { sinceMs: at.clock.nowMs() - 86_400_000 });

async function undoLast(at: TestRecords) {
  const [last] = await all(at);
  const { changes, changedSince } = await planUndo(at.ledger, last!);
  await at.records.write({ source, changes });
  await at.clock.advance(60_000);
  return { changes, changedSince };
}

const write = async (at: TestRecords, fields: Readonly<Record<string, unknown>>, on = target) => {
  await at.say(on, fields, source);
  await at.clock.advance(60_000);
};

describe("undo", () => {
  test("of a change brings back what was there, or takes away what was not; twice is a redo", async () => {
    await using at = await openTwo();
    const before = await valuesOf(at.ledger, target);
    await write(at, { city: "Bonn", zip: "53111", "email/a@acme.com": undefined });
    const after = await valuesOf(at.ledger, target);
    await undoLast(at);
    expect(await valuesOf(at.ledger, target)).toEqual(before);
    expect(at.read("companies/acme/_index.md")).toContain("city: Köln");
    await undoLast(at);
    expect(await valuesOf(at.ledger, target)).toEqual(after);
  });

  test("of a delete brings back the record, its notes and its folder", async () => {
    await using at = await openTwo();
    await at.records.addEntry({ name: "acme", kind: "note", source, text: "kept" });
    await at.clock.advance(60_000);
    const before = await valuesOf(at.ledger, target);
    await deleteRecord({ ledger: at.ledger, records: at.records }, { target, source });
    expect(at.has("companies/acme")).toBe(false);
    await undoLast(at);
    expect(await valuesOf(at.ledger, target)).toEqual(before);
    expect(at.list("companies/acme/notes")).toHaveLength(1);
  });

  test("of a merge makes two again", async () => {
    await using at = await openTwo();
    const before = [await valuesOf(at.ledger, target), await valuesOf(at.ledger, other)];
    await at.records.merge({ from: "best", into: "acme", source });
    await at.clock.advance(60_000);
    expect(await at.records.company("best")).toMatchObject({ target });
    await undoLast(at);
    expect([await valuesOf(at.ledger, target), await valuesOf(at.ledger, other)]).toEqual(before);
    expect(await at.records.company("best")).toMatchObject({ target: other });
  });

  test("of a bulk change undoes it for every record, and only there", async () => {
    await using at = await openTwo();
    await write(at, { zip: "1" });
    const commits = [target, other].map((one) => ({
      source,
      changes: [{ target: one, field: "tag/vip", value: true }],
    }));
    await at.records.writeAll(commits);
    expect((await all(at)).map(({ targets, fields }) => [targets, fields])).toEqual([
      [[target, other], ["tag/vip"]],
      [[target], ["zip"]],
    ]);
    await undoLast(at);
    expect(await valuesOf(at.ledger, target)).toMatchObject({ zip: "1" });
    for (const one of [target, other]) {
      expect(await valuesOf(at.ledger, one)).not.toHaveProperty("tag/vip");
    }
  });

  test("does not undo fields that somebody changed since, and says so", async () => {
    await using at = await openTwo();
    await write(at, { city: "Bonn", zip: "53111" });
    const [change] = await all(at);
    await write(at, { city: "Berlin" });
    const plan = await planUndo(at.ledger, change!);
    expect(plan.changes).toEqual([{ target, field: "zip", unset: true }]);
    expect(plan.changedSince).toEqual([{ target, field: "city" }]);
  });
});
