import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";

import { openTestRecords, type TestRecords } from "../testing/test-records.ts";
import { targetOfKey } from "../testing/company-targets.ts";

const source = "hand:anna";
const add = (at: TestRecords, fields: Readonly<Record<string, unknown>>) =>
  at.records.create({ source, fields, addsOnly: true });

describe("a company that a person adds and that is known", () => {
  test("by its domain gets what it lacks; nothing of it is changed, and what differs is reported", async () => {
    await using at = await openTestRecords();
    await add(at, { name: "Dup One", domain: "dupone.example", city: "Austin" });
    const made = await add(at, {
      name: "Dup Two",
      domain: "www.dupone.example",
      city: "Austin",
      zip: "78701",
      "tag/vip": true,
    });
    expect(made).toMatchObject({
      outcome: "known",
      written: 2,
      slug: "dup-one",
      kept: [{ field: "name", value: "Dup One", given: "Dup Two" }],
    });
    expect(await valuesOf(at.ledger, made.target)).toMatchObject({
      name: "Dup One",
      zip: "78701",
      "tag/vip": true,
    });
  });

  test("by its phone number, if one company of a like name alone has it and no domain or place differs", async () => {
    await using at = await openTestRecords();
    const phone = { "phone/+15125550100": true };
    const first = await add(at, { name: "Call Me", ...phone });
    const again = await add(at, { name: "Call Me Inc", ...phone, domain: "call.example" });
    expect(again).toMatchObject({ outcome: "known", target: first.target, written: 1 });
    expect(again.kept).toEqual([{ field: "name", value: "Call Me", given: "Call Me Inc" }]);
    const stranger = await add(at, { name: "Best Roofs", ...phone });
    expect(stranger).toMatchObject({ outcome: "created", samePhone: ["call-me"] });
    const other = await add(at, { name: "Call You", ...phone, domain: "you.example" });
    expect(other).toMatchObject({ outcome: "created", target: targetOfKey("you.example") });
    // Two companies have the number now, so it does not identify one any more. Campaigns and
    // imports never use it.
    expect(await add(at, { name: "Third", ...phone })).toMatchObject({ outcome: "created" });
    const imported = { source: "place:import", fields: { name: "Call Me", ...phone } };
    expect(await at.records.create(imported)).toMatchObject({ outcome: "created" });
  });
});

describe("a merged company", () => {
  const merged = async (at: TestRecords) => {
    await add(at, { name: "Dup One", domain: "dupone.example" });
    await add(at, { name: "Dup Two", domain: "duptwo.example", "phone/+15125550101": true });
    await at.records.merge({ from: "dup-two", into: "dup-one", source });
    return targetOfKey("dupone.example");
  };

  test("is found by every domain, and keeps its own, whoever brings the other one", async () => {
    await using at = await openTestRecords();
    const target = await merged(at);
    expect(at.index.byDomain("www.duptwo.example")).toEqual([target]);
    for (const name of ["dupone.example", "https://www.DupTwo.example/about"])
      expect(at.records.resolve("company", name)).toBe(target);
    const website = "https://duptwo.example/";
    const fields = { name: "Dup Two", domain: "duptwo.example", website, rating: 4.5 };
    expect(await add(at, fields)).toMatchObject({ outcome: "known", target });
    for (const from of ["place:import", "place:osm"]) {
      const made = await at.records.create({ source: from, fields });
      expect(made).toMatchObject({ outcome: "known", target });
    }
    const values = await valuesOf(at.ledger, target);
    expect(values).toMatchObject({ name: "Dup One", domain: "dupone.example", rating: 4.5 });
    expect(values).not.toHaveProperty("website");
  });

  test("is named by a domain or a place only if no other company has it", async () => {
    await using at = await openTestRecords();
    for (const place of ["osm/node/1", "osm/node/2"])
      await at.records.create({ source, fields: { name: place, place, domain: "chain.example" } });
    expect(at.records.resolve("company", "chain.example")).toBeUndefined();
    expect(at.records.resolve("company", "osm/node/2")).toBe(targetOfKey("osm.node.2"));
    expect(at.records.resolve("person", "osm/node/2")).toBeUndefined();
  });

  test("is forgotten by all of its domains", async () => {
    await using at = await openTestRecords();
    await merged(at);
    await at.records.forget({ name: "dup-one", source });
    const again = { source: "place:osm", fields: { name: "Dup Two", domain: "duptwo.example" } };
    expect(await at.records.create(again)).toMatchObject({ outcome: "suppressed" });
  });
});

describe("ids of a user's own lists", () => {
  const source = "place:1";
  const austin = { place: "1", latitude: 30.2671, longitude: -97.742 };
  const joe = { name: "Joe Plumbing", ...austin, "phone/+15125550100": true };
  const otto = { name: "Otto Bakery", ...austin, latitude: 30.2721, "phone/+15125550177": true };

  test("two lists number their rows alike: they are two companies, and each is found again", async () => {
    await using at = await openTestRecords();
    const first = await at.records.create({ source, fields: joe });
    const other = await at.records.create({ source, fields: otto });
    expect(first).toMatchObject({ outcome: "created", target: targetOfKey("1") });
    expect(other).toMatchObject({ outcome: "created", slug: "otto-bakery" });
    expect(other.target).not.toBe(first.target);
    for (const [fields, { target }] of [[joe, first], [otto, other]] as const) // prettier-ignore
      expect(await at.records.create({ source, fields })).toMatchObject({ outcome: "known", target, written: 0 }); // prettier-ignore
    expect(await valuesOf(at.ledger, first.target)).toMatchObject({ name: "Joe Plumbing" });
    expect(await at.records.duplicatesOf(other.target)).toEqual([]);
    await using elsewhere = await openTestRecords();
    await elsewhere.records.create({ source, fields: joe });
    const same = await elsewhere.records.create({ source, fields: otto });
    expect(same.target).toBe(other.target);
  });

  test("a row that was renamed, moved or has another number stays the same company", async () => {
    await using at = await openTestRecords();
    const { target } = await at.records.create({ source, fields: joe });
    const renamed = { ...joe, name: "Best Water" };
    expect(await at.records.create({ source, fields: renamed })).toMatchObject({ target });
    const moved = { ...renamed, latitude: 30.4, "phone/+15125550199": true };
    expect(await at.records.create({ source, fields: moved })).toMatchObject({ target });
    const far = { ...renamed, latitude: 48.1 };
    expect(await at.records.create({ source, fields: far })).toMatchObject({ target });
    const another = { name: "Best Water", place: "1", latitude: 48.2, longitude: 11.5 };
    expect((await at.records.create({ source, fields: another })).target).not.toBe(target);
  });

  test("ids of open data name one place, whatever it is called and wherever it lies", async () => {
    await using at = await openTestRecords();
    const place = "osm/node/1";
    const { target } = await at.records.create({ source, fields: { ...joe, place } });
    expect(await at.records.create({ source, fields: { ...otto, place } })).toMatchObject({
      target,
    });
  });
});
