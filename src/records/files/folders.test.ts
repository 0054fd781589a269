import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { foldersFor, isSlug, slugOf } from "./slug.ts";
import { openTestRecords } from "../testing/test-records.ts";
import { targetOfKey } from "../testing/company-targets.ts";

const source = "hand:anna";

describe("the name of a folder", () => {
  test("cannot lead out, hide, be a system's name, or differ in case alone", () => {
    const nasty = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "..",
        "../../etc",
        "/etc/passwd",
        "CON",
        "nul",
        "com1",
        ".git",
        "a/b",
        "C:\\x",
      ),
      fc.constantFrom("", "   ", "日本", "_index.md", "notes", "İ", "ﬀ", "x".repeat(500)),
    );
    fc.assert(
      fc.property(nasty, fc.string(), (text, id) => {
        for (const folder of foldersFor(slugOf(text, id), id)) {
          expect(isSlug(folder)).toBe(true);
          expect(folder).toBe(folder.toLowerCase());
          expect(folder).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d|notes|meetings|calls)$/);
        }
      }),
      { numRuns: 50 },
    );
    expect(slugOf("Müller & Söhne GmbH", "x")).toBe("muller-and-sohne-gmbh");
    expect(slugOf("Straße's", "x")).toBe("strasses");
  });

  test("belongs to the smallest id; the others add letters of theirs, in whatever order they come", async () => {
    const targets = ["company/a", "company/b", "company/c"];
    const seen: (readonly string[])[] = [];
    for (const order of [targets, targets.toReversed(), ["company/b", "company/c", "company/a"]]) {
      await using at = await openTestRecords();
      for (const target of order) await at.say(target, { name: "Acme", city: target });
      const slugs = targets.map((target) => at.records.fileOf(target)!);
      expect(slugs[0]).toBe("companies/acme/_index.md");
      for (const [index, path] of slugs.entries()) {
        expect(at.read(path)).toContain(`city: ${targets[index]}`);
      }
      expect(at.list("companies")).toHaveLength(3);
      expect((await at.records.company("acme"))?.target).toBe("company/a");
      seen.push(slugs);
    }
    expect(new Set(seen.map(String)).size).toBe(1);
  });
});

describe("rename and merge", () => {
  test("a new name moves the folder; links to the old one lead on, and files of others move along", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme" });
    at.save("companies/acme/offer.pdf", "pdf");
    const person = await at.records.createPerson({
      source,
      fields: { name: "Anna Meyer" },
      company: "acme",
      role: "owner",
    });
    await at.records.rename({ name: "acme", source, newName: "Zenith Floors" });
    expect(at.list("companies")).toEqual(["acme", "zenith-floors"]);
    expect(at.read("companies/zenith-floors/offer.pdf")).toBe("pdf");
    expect(at.read("companies/acme/_index.md")).toContain(
      'movedTo: "[[companies/zenith-floors/_index|Zenith Floors]]"',
    );
    expect(at.records.resolve("company", "acme")).toBe("company/a");
    // Written once, by the node that renamed it; otherwise every node would write it.
    const reported = (await at.ledger.log({ from: 0, limit: Infinity })).filter(({ field }) =>
      field.startsWith("alias/"),
    );
    expect(reported.map((one) => [one.field, one.source])).toEqual([["alias/acme", source]]);
    expect(at.read(`people/${person.slug}/_index.md`)).toContain(
      "[[companies/zenith-floors/_index|Zenith Floors]]",
    );
    expect(at.read("companies/zenith-floors/_index.md")).toContain(
      "[[people/anna-meyer/_index|Anna Meyer]]",
    );
    expect((await at.records.ingest()).edited).toEqual([]);
    await expect(
      at.records.rename({ name: "acme", source, newSlug: "../x" }),
    ).rejects.toMatchObject({ code: "records_slug" });
  });

  test("a machine's new name for a company without a slug moves it, and the old folder leads on", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme" });
    await at.say("company/a", { name: "Zenith" });
    expect(at.list("companies")).toEqual(["acme", "zenith"]);
    expect(at.read("companies/acme/_index.md")).toContain("[[companies/zenith/_index|Zenith]]");
    expect((await at.records.company("acme"))?.slug).toBe("zenith");
    await at.records.rebuild();
    expect(at.list("companies")).toEqual(["acme", "zenith"]);
    expect(await at.records.catchUp()).toEqual({ records: 0 });
  });

  test("an edited redirect is shown: the record is elsewhere", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme" });
    await at.records.rename({ name: "acme", source, newName: "Zenith" });
    at.edit("companies/acme/_index.md", (text) => `${text}my note\n`);
    const { problems } = await at.records.ingest();
    expect(problems[0]?.reason).toContain("edit companies/zenith/_index.md instead");
  });

  test("duplicates are found by domain, place, and name with address", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme", domain: "acme.com", address: "1 Main St, Austin" });
    await at.say("company/b", { name: "Acme Inc", domain: "acme.com" });
    await at.say("company/c", { name: "ACME", address: "1 Main St. Austin" });
    await at.say("company/d", { name: "Acme", address: "2 Other Rd" });
    const found = await at.records.duplicatesOf("company/a");
    expect(found.map(({ target, because }) => [target, because])).toEqual([
      ["company/b", "domain"],
      ["company/c", "name and address"],
    ]);
  });

  test("merging keeps what both knew, where it came from, notes, people and links", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "Acme", city: "Köln" });
    await at.say(
      "company/b",
      { name: "Acme Inc", city: "Bonn", zip: "53111", "tag/x": true },
      "place:osm/2",
    );
    await at.records.addEntry({
      name: "acme-inc",
      kind: "call",
      source,
      text: "spoke",
      title: "Call",
    });
    const person = await at.records.createPerson({
      source,
      fields: { name: "Bob" },
      company: "acme-inc",
    });
    at.edit("companies/acme-inc/_index.md", (text) => text.replace('zip: "53111"', 'zip: "53112"'));
    await at.records.merge({ from: "acme-inc", into: "acme", source });
    const company = await at.records.company("acme-inc");
    expect(company).toMatchObject({
      target: "company/a",
      slug: "acme",
      name: "Acme",
      tags: ["x"],
      aliases: ["acme-inc"],
      texts: { city: "Köln", zip: "53112" },
      entries: [{ kind: "call", text: "spoke" }],
    });
    const zip = (await at.ledger.read("company/a")).fields.find(({ field }) => field === "tag/x");
    expect(zip?.source).toBe("place:osm/2");
    expect(at.list("companies/acme/calls")).toHaveLength(1);
    expect(at.list("companies/acme-inc")).toEqual(["_index.md"]);
    expect(at.read("companies/acme-inc/_index.md")).toContain("[[companies/acme/_index|Acme]]");
    expect(at.read(`people/${person.slug}/_index.md`)).toContain("[[companies/acme/_index|Acme]]");
    await at.say("company/b", { reviews: 7 });
    expect(at.read("companies/acme/_index.md")).toContain("reviews: 7");
    const history = await at.records.history({ name: "acme", field: "city" });
    expect(new Set(history.map(({ value }) => value))).toEqual(new Set(["Bonn", "Köln"]));
    expect((await at.records.ingest()).edited).toEqual([]);
  });
});

test("merging away a company whose file is broken: the file stays, and counts once it is mended", async () => {
  await using at = await openTestRecords();
  await at.say("company/a", { name: "Acme" });
  await at.say("company/b", { name: "Other", city: "Köln" });
  const whole = at.read("companies/other/_index.md");
  at.edit("companies/other/_index.md", (text) => text.replace("city: Köln", "zip: '9'\ncity: ["));
  const damaged = at.read("companies/other/_index.md");
  await at.records.merge({ from: "other", into: "acme", source });
  expect(at.read("companies/other/_index.md")).toBe(damaged);
  expect(at.records.problems()).toMatchObject([{ path: "companies/other/_index.md" }]);
  expect((await at.records.company("other"))?.target).toBe("company/a");
  at.save("companies/other/_index.md", whole.replace("city: Köln", "zip: '9'\ncity: Köln"));
  expect((await at.records.ingest()).problems).toEqual([]);
  expect((await at.records.company("acme"))?.texts).toMatchObject({ zip: "9", city: "Köln" });
  expect(at.read("companies/other/_index.md")).toContain("movedTo:");
});

describe("creating", () => {
  test("the same domain or place is the same company, however it is written", async () => {
    await using at = await openTestRecords();
    const created = await at.records.createAll([
      {
        source,
        fields: { name: "Acme", domain: "https://www.ACME.com/about", place: "osm/node/7" },
      },
      { source, fields: { name: "Acme again", domain: "acme.com", city: "Köln" } },
      { source, fields: { name: "Branch", domain: "acme.com" }, isSeparate: true },
      { source, fields: { name: "Nobody" } },
    ]);
    expect(created.map(({ outcome }) => outcome)).toEqual([
      "created",
      "known",
      "created",
      "created",
    ]);
    expect(created[0]!.target).toBe(targetOfKey("osm.node.7"));
    expect(created[1]!.target).toBe(created[0]!.target);
    expect(new Set(created.map(({ target }) => target)).size).toBe(3);
    expect(await valuesOf(at.ledger, targetOfKey("osm.node.7"))).toMatchObject({
      name: "Acme again",
      city: "Köln",
      slug: "acme",
    });
  });

  test("an odd key is hashed: it can neither lead out nor be too long", async () => {
    await using at = await openTestRecords();
    for (const place of ["../../x", "ChIJ:0x1", "x".repeat(300), "a//b", "CON"]) {
      const { target, outcome } = await at.records.create({ source, fields: { name: "N", place } });
      expect(outcome).toBe("created");
      expect(target).toMatch(/^company\/[0-9a-z]{16}$/);
    }
  });
});
