import { describe, expect, test } from "vitest";
import { openTestLedger, valuesOf } from "../ledger/testing/test-ledger.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { openTestRecords } from "./testing/test-records.ts";

const target = "company/acme.com";
const file = "companies/acme/_index.md";
const site = "site:https://acme.com";

describe("lessons of earlier systems", () => {
  test("lesson 36: an old datagram does not beat a newer hand edit, also after everything was folded", async () => {
    const clock = createTestClock();
    const [here, there] = [await openTestLedger({ clock }), await openTestLedger({ clock })];
    await using at = await openTestRecords({ ledger: here, clock });
    await at.say(target, { name: "Acme", city: "Köln" });
    const late = await there.write({
      source: site,
      changes: [{ target, field: "city", value: "Old" }],
    });
    await clock.advance(5_000);
    at.edit(file, (text) => text.replace("Köln", "Bonn"));
    await at.records.ingest();
    await at.records.rebuild();
    expect(
      late.datagrams[0]!.stamp < (await here.log({ from: 0, limit: Infinity })).at(-1)!.stamp,
    ).toBe(true);
    const changes = [{ target, field: "city", value: "Old" }];
    await here.write({ source: site, changes });
    await at.records.catchUp();
    expect(at.read(file)).toContain("city: Bonn");
    expect(at.read("companies/acme/_fields.tsv")).toMatch(/^city\t2026-01-01T00:00:05.*hand:anna/m);
  });

  test("lesson 37: what is written while files are rebuilt is not lost", async () => {
    await using at = await openTestRecords();
    for (let id = 0; id < 20; id++) await at.say(`company/${id}`, { name: `C ${id}` });
    const rebuilt = at.records.rebuild();
    const writes = Array.from({ length: 20 }, (_, id) =>
      at.records.write({
        source: site,
        changes: [{ target: `company/${id}`, field: "city", value: `in ${id}` }],
      }),
    );
    at.edit("companies/c-3/_index.md", (text) => text.replace("name: C 3", "name: C 3\nzip: '1'"));
    await Promise.all([rebuilt, ...writes]);
    await at.records.ingest();
    for (let id = 0; id < 20; id++) {
      expect(at.read(`companies/c-${id}/_index.md`)).toContain(`city: in ${id}`);
    }
    expect(at.read("companies/c-3/_index.md")).toContain("zip: '1'");
  });

  test("lesson 38: values keep their types through file, hand and back", async () => {
    await using at = await openTestRecords();
    await at.say(target, {
      name: "Acme",
      city: "1e3",
      zip: "01234",
      rating: 4.5,
      status: "True",
      "x/open": true,
      "x/n": 0,
    });
    at.edit(file, (text) => text.replace("rating: 4.5", "rating: 4.50\nflag: false\nlevel: 3"));
    await at.records.ingest();
    expect(await valuesOf(at.ledger, target)).toMatchObject({
      name: "Acme",
      city: "1e3",
      zip: "01234",
      rating: 4.5,
      status: "True",
      "x/open": true,
      "x/n": 0,
      "x/flag": false,
      "x/level": 3,
    });
    const company = await at.records.company("acme");
    expect(company).toMatchObject({ numbers: { rating: 4.5 }, texts: { zip: "01234" } });
  });

  test("lesson 39: separators inside a value stay inside it", async () => {
    await using at = await openTestRecords();
    const odd = "a\u001fb\u001ec\td\ne\r\nf: g\n---\nrev: 0\n# h";
    await at.say(target, { name: "Acme", address: odd, description: odd, "x/k": [odd] });
    expect((await at.records.ingest()).edited).toEqual([]);
    at.edit(file, (text) => text.replace("name: Acme", "name: Acme\nzip: x"));
    expect((await at.records.ingest()).edited).toEqual([{ target, fields: ["zip"] }]);
    await at.say(target, { city: "Köln" });
    expect(await valuesOf(at.ledger, target)).toMatchObject({
      address: odd,
      description: odd,
      "x/k": [odd],
    });
    expect((await at.records.ingest()).edited).toEqual([]);
  });

  test("lesson 40: fields go by name, what we have no name for stays, unknown never overwrites known", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", Average_Rating: 4.5, "x/Shelf_1": "+1" });
    await at.say(target, { name: null, city: null });
    expect(await valuesOf(at.ledger, target)).toEqual({
      name: "Acme",
      Average_Rating: 4.5,
      "x/Shelf_1": "+1",
    });
    await at.records.rebuild();
    expect(at.read(file)).toContain('Shelf_1: "+1"');
    at.edit(file, (text) => text.replace("name: Acme", "name: Acme\ncity:"));
    await at.records.ingest();
    expect(await valuesOf(at.ledger, target)).toMatchObject({ name: "Acme", Average_Rating: 4.5 });
  });

  test("lesson 41: a record that cannot be read is shown, not skipped", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", city: "Köln" });
    at.edit(file, (text) => text.replace("city: Köln", "city: {"));
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path: file, target }]);
    await using again = await at.reopen();
    expect(again.problems()).toMatchObject([{ path: file, target }]);
    expect((await again.company("acme"))?.name).toBe("Acme");
  });

  test("lesson 42: a blank from a failed fetch changes nothing", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", phone: "1", city: "Köln", description: "text" });
    const before = await valuesOf(at.ledger, target);
    const blank = { name: "", city: "  ", description: "N/A", phone: null, zip: "null" };
    await at.say(target, blank);
    expect(await valuesOf(at.ledger, target)).toEqual(before);
    expect(at.read(file)).toContain("city: Köln");
  });

  test("lesson 43: the title of a page is not the name of a company", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme" });
    for (const name of [
      "Home",
      "403 Forbidden",
      "Bot Verification",
      "Just a moment...",
      "Access Denied",
    ]) {
      await at.say(target, { name });
    }
    expect(await valuesOf(at.ledger, target)).toMatchObject({ name: "Acme" });
    await at.say(target, { name: "Home Depot" });
    expect(await valuesOf(at.ledger, target)).toMatchObject({ name: "Home Depot" });
    await at.say(target, { name: "Acme Floors" }, "place:osm/1");
    await at.say(target, { name: "Acme: the best floors in town" });
    expect(await valuesOf(at.ledger, target)).toMatchObject({ name: "Acme Floors" });
    await at.say(target, { name: "Home" }, "hand:anna");
    expect(await valuesOf(at.ledger, target)).toMatchObject({ name: "Home" });
  });
});
