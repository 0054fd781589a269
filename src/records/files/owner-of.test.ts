import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";

const file = "companies/acme/_index.md";
const [first, second] = ["company/a", "company/b"] as const;

/** The folder belongs to `second`, until `takeOver` gives it to `first`. */
async function openSecond(): Promise<TestRecords & { readonly takeOver: () => Promise<void> }> {
  const at = await openTestRecords();
  await at.say(second, { name: "Acme", city: "Köln", zip: "50667" });
  expect(at.records.fileOf(second)).toBe(file);
  const takeOver = async () => {
    await at.say(first, { name: "Acme", city: "Ulm" });
    expect(at.records.fileOf(first)).toBe(file);
  };
  return { ...at, takeOver };
}
const edited = (text: string) => text.replace('zip: "50667"', 'zip: "1"');

/** As after a kill, or by an editor that writes to a file it opened before it was moved away. */
function saveAside(at: TestRecords, text: string): string {
  const [copy = "", ...more] = at.copies("aside");
  expect(more).toEqual([]);
  at.save(`records/aside/${copy}`, text);
  return copy;
}

async function expectTakenIn(at: TestRecords): Promise<void> {
  expect((await at.records.ingest()).problems).toEqual([]);
  expect(await valuesOf(at.ledger, second)).toMatchObject({ name: "Acme", zip: "1" });
  expect(at.read(at.records.fileOf(second)!)).toContain('zip: "1"\n');
  await at.clock.advance(3_000);
  expect((await at.records.ingest()).edited).toEqual([]);
  expect(at.list("records/aside")).toEqual([]);
}

describe("a folder that gets another owner", () => {
  test("an edit in a copy that was held back belongs to the record it names, not to the owner of the folder now", async () => {
    await using at = await openSecond();
    const held = at.read(file);
    await at.say(second, { city: "Berlin" });
    await at.takeOver();
    saveAside(at, edited(held));
    await at.clock.advance(3_000);
    await expectTakenIn(at);
    expect(await valuesOf(at.ledger, second)).toMatchObject({ city: "Berlin" });
    expect(await valuesOf(at.ledger, first)).toEqual({ name: "Acme", city: "Ulm" });
  });

  test("an edit that is saved in it afterwards is of the record it names; the other keeps its file", async () => {
    await using at = await openSecond();
    const held = at.read(file);
    await at.takeOver();
    const own = at.read(file);
    at.save(file, edited(held));
    expect((await at.records.ingest()).edited).toEqual([{ target: second, fields: ["zip"] }]);
    await expectTakenIn(at);
    expect(at.read(file)).toBe(own);
    expect(at.copies("kept").map((name) => at.read(`records/kept/${name}`))).toEqual([
      edited(held),
    ]);
    expect(await valuesOf(at.ledger, first)).toEqual({ name: "Acme", city: "Ulm" });
  });

  test("an id without a render of that record is not an edit of it", async () => {
    await using at = await openSecond();
    await at.takeOver();
    const before = await valuesOf(at.ledger, second);
    const forged = at.read(file).replace("id: a\n", "id: b\n").replace("Ulm", "Bonn");
    at.save(file, forged);
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path: file, target: first }]);
    expect(problems[0]!.reason).toContain("its id is b, and the folder is that of a");
    expect(at.read(file)).toBe(forged);
    expect(await valuesOf(at.ledger, second)).toEqual(before);
  });

  test("people who link to who moved out have the new folder in their files", async () => {
    await using at = await openSecond();
    const { slug } = await at.records.createPerson({
      source: "hand:anna",
      fields: { name: "Bob" },
      company: "acme",
    });
    await at.takeOver();
    const folder = at.records.fileOf(second)!.replace(".md", "");
    expect(at.read(`people/${slug}/_index.md`)).toContain(`[[${folder}|Acme]]`);
  });
});

describe("an editor that is slow to write", () => {
  test("what it saves counts, however many renders came since it emptied the file", async () => {
    await using at = await openSecond();
    const held = at.read(file);
    at.save(file, "");
    await at.say(second, { reviews: 0 });
    const copy = saveAside(at, edited(held));
    for (let reviews = 1; reviews <= 20; reviews++) await at.say(second, { reviews });
    expect(at.copies("aside")).toContain(copy);
    await at.clock.advance(3_000);
    await expectTakenIn(at);
    expect(await valuesOf(at.ledger, second)).toMatchObject({ reviews: 20 });
  });

  test("so it does for a record of the longest name", async () => {
    await using at = await openTestRecords();
    const name = "Acme ".repeat(30);
    await at.say(first, { name });
    await at.say(second, { name, city: "Köln", zip: "50667" });
    const held = at.read(at.records.fileOf(second)!);
    await at.say(second, { city: "Berlin" });
    saveAside(at, edited(held));
    await at.clock.advance(3_000);
    expect((await at.records.ingest()).problems).toEqual([]);
    expect(await valuesOf(at.ledger, second)).toMatchObject({ zip: "1", city: "Berlin" });
  });

  test("what it saves in the folder that the record had before is an edit of it", async () => {
    await using at = await openSecond();
    const held = at.read(file);
    await at.records.rename({ name: "acme", source: "hand:anna", newName: "Zenith" });
    const redirect = at.read(file);
    at.save(file, edited(held));
    expect((await at.records.ingest()).edited).toEqual([{ target: second, fields: ["zip"] }]);
    expect(at.read("companies/zenith/_index.md")).toMatch(/name: Zenith\n.*\nzip: "1"/);
    expect(at.read(file)).toBe(redirect);
    expect(at.records.problems()).toEqual([]);
  });
});
