import { describe, expect, test } from "vitest";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { openTestLedger, valuesOf } from "../ledger/testing/test-ledger.ts";
import { finishIdForm } from "./change/id-form.ts";
import { placesOf } from "./fields/places.ts";
import { findDuplicatePairs } from "./resolve/find-pairs.ts";
import { mergeDuplicates } from "./resolve/merge-duplicates.ts";
import { openTestRecords, type TestRecords } from "./testing/test-records.ts";
import { targetOfKey } from "./testing/company-targets.ts";

const source = "hand:anna";

async function openPair() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const [one, other] = [
    await openTestRecords({ ledger: await openTestLedger({ clock }), clock }),
    await openTestRecords({ ledger: await openTestLedger({ clock }), clock }),
  ];
  const exchange = async () => {
    for (const { ledger } of [one, other, one]) await ledger.withBucket(bucket).sync();
    for (const { records } of [one, other]) await records.catchUp();
  };
  return { one, other, exchange, clock, bucket };
}

/** All files except the side files, which contain what each node has shown before. */
const shown = (at: TestRecords) =>
  [...at.tree("companies")].filter(([name]) => !name.endsWith("_fields.tsv"));

test("nodes that know the same have the same files, byte for byte, in the same folders", async () => {
  const { one, other, exchange, clock } = await openPair();
  await using _first = one;
  await using _second = other;
  await other.say("company/b", { name: "Acme", city: "Bonn", "tag/x": true });
  await other.records.addEntry({ name: "acme", kind: "note", source, text: "hi", title: "T" });
  await clock.advance(1_000);
  await one.say("company/a", { name: "Acme", city: "Köln" });
  await one.say("company/c", { name: "Zenith" });
  await exchange();
  expect(shown(one)).toEqual(shown(other));
  expect(one.list("companies")).toHaveLength(3);
  await other.records.rename({ name: "zenith", source, newName: "Nadir" });
  await one.say("company/b", { city: "Ulm" });
  await exchange();
  expect(shown(one)).toEqual(shown(other));
  await one.records.merge({ from: "company/b", into: "company/a", source });
  await exchange();
  expect(shown(one)).toEqual(shown(other));
  expect((await other.records.company("company/a"))?.entries).toHaveLength(1);
});

test("the elements of a list stand in one order on every node, whatever order a hand wrote", async () => {
  const { one, other, exchange } = await openPair();
  await using _first = one;
  await using _second = other;
  const file = "companies/acme/_index.md";
  await one.say("company/a", { name: "Acme", "tag/m": true, "email/m@acme.com": true });
  await one.records.createPerson({ source, fields: { name: "Anna" }, company: "acme" });
  await exchange();
  one.edit(file, (text) => text.replace("  - m\n", "  - z\n  - m # the first\n  - a\n  - z\n"));
  one.edit(file, (text) => text.replace("  - m@acme.com\n", "  - z@acme.com\n  - m@acme.com\n"));
  await one.records.ingest();
  await exchange();
  const tags = (at: TestRecords) => /tags:\n((?: .*\n)+)/.exec(at.read(file))?.[1];
  expect(tags(one)).toBe("  - a\n  - m # the first\n  - z\n");
  expect(tags(other)).toBe("  - a\n  - m\n  - z\n");
  expect(
    one
      .read(file)
      .replace(" # the first", "")
      .replace(/rev: .*/, ""),
  ).toBe(other.read(file).replace(/rev: .*/, ""));

  // A different order is not an edit, and is corrected when the record is read.
  other.edit(file, (text) => text.replace("  - a\n  - m\n", "  - m\n  - a\n"));
  expect((await other.records.ingest()).edited).toEqual([]);
  expect(tags(other)).toBe("  - a\n  - m\n  - z\n");
  one.edit(file, (text) => text.replace(/tags:\n(?: .*\n)+/, "tags: [z, m, a]\n"));
  await one.records.ingest();
  expect(one.read(file)).toContain("tags: [a, m, z]\n");
});

test("an edit here and a fact from there, written before either node knew the other's: both are there", async () => {
  const { one, other, exchange } = await openPair();
  await using _first = one;
  await using _second = other;
  const target = "company/a";
  await one.say(target, { name: "Acme", city: "Köln", zip: "1" });
  await exchange();
  one.edit("companies/acme/_index.md", (text) => text.replace("Köln", "Bonn # by hand"));
  await other.say(target, { zip: "2", city: "Ulm", "email/a@acme.com": true });
  // The edit is noticed when the other node's facts are rendered, and is sent with the next
  // exchange.
  await exchange();
  await exchange();
  for (const { ledger } of [one, other]) {
    expect(await valuesOf(ledger, target)).toMatchObject({ city: "Bonn", zip: "2" });
  }
  const text = one.read("companies/acme/_index.md");
  expect(text).toContain("city: Bonn # by hand");
  expect(text).toContain("- a@acme.com");
  expect(other.read("companies/acme/_index.md")).toContain("city: Bonn\n");
});

test("companies that two nodes made of one business at the same moment become one, the same on both", async () => {
  const { one, other, exchange } = await openPair();
  await using _first = one;
  await using _second = other;
  const fields = { name: "Rohr Meyer", latitude: 48.1, longitude: 11.5 };
  const create = (at: TestRecords, place: string) =>
    at.records.create({ source: `place:${place}`, fields: { ...fields, place } });
  await create(one, "osm/node/1");
  await create(other, "overture/a");
  await exchange();
  // Both check at the same time, before either receives the other's changes.
  const resolve = (at: TestRecords) =>
    mergeDuplicates({
      merge: at.records.merge.bind(at.records),
      duplicatePairs: (options) => findDuplicatePairs(at.index, options),
    });
  expect(await resolve(one)).toEqual({ merged: 1, left: 0 });
  expect(await resolve(other)).toEqual({ merged: 1, left: 0 });
  await exchange();
  expect(shown(one)).toEqual(shown(other));
  expect(one.index.targets({ kind: "company", limit: 10 })).toEqual([targetOfKey("osm.node.1")]);
  expect(placesOf((await other.records.company("rohr-meyer"))!)).toEqual(["osm/node/1", "overture/a"]); // prettier-ignore
  expect(await resolve(other)).toEqual({ merged: 0, left: 0 });
});

test("what one node forgets leaves the journals, files and links of the other", async () => {
  const { one, other, exchange } = await openPair();
  await using _first = one;
  await using _second = other;
  const fields = { name: "Acme", domain: "acme-floors.example", "tag/secretive": true };
  await one.records.create({ source, fields });
  await one.records.createPerson({ source, fields: { name: "Anna" }, company: "acme" });
  await exchange();
  expect(other.read("people/anna/_index.md")).toContain("[[companies/acme/_index|Acme]]");
  other.save("companies/acme/notes/mine.md", "a note of a user about Acme");
  await one.records.forget({ name: "acme", source });
  await exchange();
  for (const at of [one, other]) {
    const log = JSON.stringify(await at.ledger.log({ from: 0, limit: Infinity }));
    expect(log).not.toMatch(/acme-floors|secretive/);
    expect(at.grep(/acme/i)).toEqual([]);
    expect(at.read("people/anna/_index.md")).not.toContain("companies");
    expect((await at.records.person("anna"))?.companies).toEqual([]);
    expect(await at.ledger.unscrubbed()).toBe(0);
  }
});

describe("ids of new companies", () => {
  const fields = (name: string) => ({ name, domain: `${name}.example` });
  const isReadable = ({ target }: { readonly target: string }) => target.endsWith(".example");

  test("are hashes of the domain, the same on two nodes that find it at once", async () => {
    const { one, other, exchange } = await openPair();
    await using _first = one;
    await using _second = other;
    const made = [];
    for (const at of [one, other])
      made.push(await at.records.create({ source, fields: fields("acme") }));
    await exchange();
    expect(new Set(made.map(({ target }) => target))).toEqual(
      new Set([targetOfKey("acme.example")]),
    );
    expect(other.list("companies")).toEqual(["acme"]);
  });

  test("are readable while a node of an earlier version may make such ids, until the upgrade ends", async () => {
    const { one, other, exchange } = await openPair();
    await using _first = one;
    await using _second = other;
    // A node of an earlier version says nothing of ids.
    await other.say("company/old.example", { name: "Old", domain: "old.example" });
    await exchange();
    expect(isReadable(await one.records.create({ source, fields: fields("acme") }))).toBe(true);
    const old = await one.records.create({ source, fields: fields("old") });
    expect(old).toMatchObject({ outcome: "known", target: "company/old.example" });
    await one.ledger.write({ source: "system", changes: [finishIdForm] });
    await exchange();
    for (const [at, name] of [
      [one, "bolt"],
      [other, "core"],
    ] as const) {
      expect(isReadable(await at.records.create({ source, fields: fields(name) }))).toBe(false);
    }
    expect(await one.records.create({ source, fields: fields("acme") })).toMatchObject({
      outcome: "known",
      target: "company/acme.example",
    });
  });

  test("are hashes as soon as all nodes that have written run this version", async () => {
    const { one, other, exchange, clock, bucket } = await openPair();
    await using _first = one;
    await using _second = other;
    await other.say("company/old.example", { name: "Old", domain: "old.example" });
    await exchange();
    const following = other.records.follow({ everyMs: 100 });
    await one.say("company/x", { name: "X" });
    for (const { ledger } of [one, other]) await ledger.withBucket(bucket).sync();
    await clock.advance(100);
    await following.stop();
    await exchange();
    expect(isReadable(await one.records.create({ source, fields: fields("acme") }))).toBe(false);
  });

  test("are hashes also if another node of this version has only ever changed companies", async () => {
    const { one, other, exchange } = await openPair();
    await using _first = one;
    await using _second = other;
    await one.records.create({ source, fields: fields("acme") });
    await exchange();
    await other.say(targetOfKey("acme.example"), { city: "Ulm" });
    await other.records[Symbol.asyncDispose]();
    await exchange();
    expect(isReadable(await one.records.create({ source, fields: fields("bolt") }))).toBe(false);
  });

  test("are hashes after a node that wrote before was updated and started", async () => {
    const { one, other, exchange } = await openPair();
    await using _first = one;
    await using _second = other;
    // Written past the records, as an earlier version did.
    const changes = [{ target: "company/old.example", field: "name", value: "Old" }];
    await other.ledger.write({ source, changes });
    await exchange();
    expect(isReadable(await one.records.create({ source, fields: fields("acme") }))).toBe(true);
    await using _reopened = await other.reopen();
    await exchange();
    expect(isReadable(await one.records.create({ source, fields: fields("bolt") }))).toBe(false);
  });

  test("are declared without leaving files behind the ledger: a hand edit is reported by ingest", async () => {
    await using at = await openTestRecords();
    await at.records.create({ source, fields: { ...fields("acme"), city: "Austin" } });
    at.edit("companies/acme/_index.md", (text) => text.replace("Austin", "Boston"));
    await using records = await at.reopen();
    const { edited } = await records.ingest();
    expect(edited).toEqual([{ target: targetOfKey("acme.example"), fields: ["city"] }]);
  });
});
