import { renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";

const target = "company/acme.com";
const file = "companies/acme/_index.md";

async function openAcme(fields: Readonly<Record<string, unknown>> = {}): Promise<TestRecords> {
  const at = await openTestRecords();
  await at.say(target, { name: "Acme", domain: "acme.com", city: "Köln", zip: "50667", ...fields });
  return at;
}
const sourceOf = async (at: TestRecords, field: string) =>
  (await at.ledger.read(target)).fields.find((one) => one.field === field)?.source;

describe("a hand edit", () => {
  test("becomes facts of that user, and wins over machines until it is released", async () => {
    await using at = await openAcme();
    at.edit(file, (text) => text.replace("city: Köln", "city: Bonn"));
    const { edited } = await at.records.ingest();
    expect(edited).toEqual([{ target, fields: ["city"] }]);
    expect(await sourceOf(at, "city")).toBe("hand:anna");
    await at.say(target, { city: "Berlin" });
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn" });
    expect(at.read(file)).toContain("city: Bonn");
    at.edit(file, (text) => text.replace("city: Bonn\n", ""));
    await at.records.ingest();
    expect(await valuesOf(at.ledger, target)).not.toHaveProperty("city");
    await at.say(target, { city: "Hamburg" });
    expect(at.read(file)).toContain("city: Hamburg");
  });

  test("`aliases` has the name for Obsidian; what a hand adds there is kept, an old name is not", async () => {
    await using at = await openAcme();
    expect(at.read(file)).toContain("aliases:\n  - Acme\nid: ");
    const aliasesIn = (path: string) => /^aliases:\n((?: {2}- .*\n)*)/m.exec(at.read(path))?.[1];
    // Removed by hand: this is not a fact, and the next render restores it.
    at.edit(file, (text) => text.replace("aliases:\n  - Acme\n", "city2: x\n"));
    expect((await at.records.ingest()).edited).toEqual([{ target, fields: ["x/city2"] }]);
    expect(aliasesIn(file)).toBe("  - Acme\n");
    at.edit(file, (text) => text.replace("  - Acme\n", "  - Acme\n  - The Floor People\n"));
    expect((await at.records.ingest()).edited).toEqual([{ target, fields: ["x/aliases"] }]);
    // Renamed by hand, with the old alias left in place; then the name is removed.
    at.edit(file, (text) => text.replace("name: Acme\n", "name: Acme Two\n"));
    expect((await at.records.ingest()).edited).toEqual([{ target, fields: ["name"] }]);
    const renamed = "companies/acme-two/_index.md";
    expect(aliasesIn(renamed)).toBe("  - Acme Two\n  - The Floor People\n");
    expect(await valuesOf(at.ledger, target)).toMatchObject({ "x/aliases": ["The Floor People"] });
    at.edit(renamed, (text) => text.replace("name: Acme Two\n", ""));
    await at.records.ingest();
    expect(aliasesIn("companies/acme-com/_index.md")).toBe("  - The Floor People\n");
    expect(at.records.problems()).toEqual([]);
  });

  test("names the write that the render had shown as its cause, not the newest one", async () => {
    await using at = await openAcme();
    const [shown] = (await at.ledger.read(target)).fields.filter(({ field }) => field === "city");
    at.edit(file, (text) => text.replace("city: Köln", "city: Bonn"));
    // Written directly to the ledger, so that no render comes in between.
    const changes = [{ target, field: "city", value: "Berlin" }];
    await at.ledger.write({ source: "site:https://acme.com", changes });
    await at.records.ingest();
    const edit = (await at.ledger.log({ from: 0, limit: Infinity })).find(
      ({ source }) => source === "hand:anna",
    );
    expect(edit).toMatchObject({ field: "city", value: '"Bonn"' });
    expect(edit?.causality).toBe(`${shown!.stamp}/${shown!.dot}`);
  });

  test("an editor that saves over a newer render takes back nothing that came since", async () => {
    await using at = await openAcme();
    const opened = at.read(file);
    await at.say(target, { city: "Berlin", "email/new@acme.com": true, rating: 5 });
    at.save(file, opened.replace('zip: "50667"', 'zip: "50668"'));
    expect((await at.records.ingest()).edited).toEqual([{ target, fields: ["zip"] }]);
    expect(await valuesOf(at.ledger, target)).toMatchObject({
      city: "Berlin",
      rating: 5,
      zip: "50668",
      "email/new@acme.com": true,
    });
    expect(at.read(file)).toContain("city: Berlin");
    expect(at.records.problems()).toEqual([]);
  });

  test("works from each of the last eight renders; from an older one it is shown, not used", async () => {
    await using at = await openAcme({ reviews: 0 });
    const opened = at.read(file);
    for (let reviews = 1; reviews <= 7; reviews++) await at.say(target, { reviews });
    at.save(file, opened.replace("city: Köln", "city: Bonn"));
    await at.records.ingest();
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn", reviews: 7 });
    for (let reviews = 8; reviews <= 16; reviews++) await at.say(target, { reviews });
    const old = opened.replace("city: Köln", "city: Ulm");
    at.save(file, old);
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path: file, target }]);
    expect(problems[0]!.reason).toMatch(/too old .* set it to `rev: [0-9a-f]{16}`/);
    expect(at.read(file)).toBe(old);
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn", reviews: 16 });
  });

  test("comments, order of keys, unknown keys, body and line ends stay when machines write", async () => {
    await using at = await openAcme({ description: "Old text" });
    const shaped = (text: string) =>
      `\ufeff${text
        .replace('zip: "50667"\n', "")
        .replace(
          "name: Acme\n",
          '# who they are\nname: Acme # short\ncolour: "#fff"\nsizes: [1, 2]\nzip: "50667"\n',
        )
        .replace("Old text", "New *text*\n\n- one  \n- two")
        .replaceAll("\n", "\r\n")}`;
    at.edit(file, shaped);
    await at.records.ingest();
    const before = at.read(file);
    await at.say(target, { rating: 4.5, "tag/floor": true, city: "Berlin" });
    const after = at.read(file);
    expect(after.replace(/rev: \w+/, "")).toBe(
      before
        .replace("city: Köln", "city: Berlin")
        .replace("id: ", "rating: 4.5\r\ntags:\r\n  - floor\r\nid: ")
        .replace(/rev: \w+/, ""),
    );
    for (const kept of [
      '# who they are\r\nname: Acme # short\r\ncolour: "#fff"\r\nsizes: [1, 2]\r\nzip: "50667"\r\n',
      "New *text*\r\n\r\n- one  \r\n- two\r\n",
    ]) {
      expect(after).toContain(kept);
    }
    expect(after.startsWith("\ufeff---\r\n")).toBe(true);
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(await valuesOf(at.ledger, target)).toMatchObject({
      "x/colour": "#fff",
      "x/sizes": [1, 2],
      description: "New *text*\n\n- one  \n- two",
    });
  });

  test("what it leaves out of a list goes, and what others added meanwhile stays", async () => {
    await using at = await openAcme({ "email/a@acme.com": { label: "sales" }, "tag/x": true });
    const opened = at.read(file);
    await at.say(target, { "email/b@acme.com": true });
    at.save(file, opened.replace("  - a@acme.com", "  - Mailto:C@Acme.com\n  - b@acme.com"));
    await at.records.ingest();
    const emails = Object.keys(await valuesOf(at.ledger, target)).filter((f) => f.includes("@"));
    expect(emails).toEqual(["email/b@acme.com", "email/c@acme.com"]);
    expect(await sourceOf(at, "email/b@acme.com")).toBe("site:https://acme.com");
  });

  test("made while the file is written is never lost, however the editor saves", async () => {
    await using at = await openAcme();
    // An editor that writes to the file it had opened, after the render moved it away.
    const held = at.read(file);
    await at.say(target, { city: "Berlin" });
    const aside = at.copies("aside");
    expect(aside).toHaveLength(1);
    at.save(`records/aside/${aside[0]}`, held.replace('zip: "50667"', 'zip: "1"'));
    await at.clock.advance(3_000);
    await at.say(target, { rating: 3 });
    expect(await valuesOf(at.ledger, target)).toMatchObject({
      zip: "1",
      city: "Berlin",
      rating: 3,
    });
    expect(at.read(file)).toContain('zip: "1"');
    expect(at.copies("aside").length).toBeLessThanOrEqual(2);
  });

  test("saved at any moment of a render: it becomes a fact, and so does what was rendered", async () => {
    await using at = await openAcme();
    for (let round = 0; round < 30; round++) {
      const opened = at.read(file);
      const zip = `zip: "e${round}"`;
      const writing = at.say(target, { reviews: round });
      for (let tick = 0; tick < round % 15; tick++) await new Promise(setImmediate);
      at.save(file, opened.replace(/zip: .*/, zip));
      await writing;
      await at.records.ingest();
      expect(await valuesOf(at.ledger, target)).toMatchObject({ zip: `e${round}`, reviews: round });
      expect(at.read(file)).toContain(zip);
    }
    expect(at.records.problems()).toEqual([]);
  });

  test("a copy of an edited file is kept for a day", async () => {
    await using at = await openAcme();
    at.edit(file, (text) => text.replace("city: Köln", "city: Bonn"));
    const edited = at.read(file);
    await at.records.ingest();
    const [kept] = at.copies("kept");
    expect(at.read(`records/kept/${kept}`)).toBe(edited);
    await at.clock.advance(23 * 3_600_000);
    await at.records.ingest();
    expect(at.copies("kept")).toHaveLength(1);
    await at.clock.advance(2 * 3_600_000);
    await at.records.ingest();
    expect(at.list("records/kept")).toEqual([]);
  });

  test("an empty file is not an order to delete everything", async () => {
    await using at = await openAcme();
    const before = at.read(file);
    for (const nothing of ["", "\0\0\0"]) {
      at.save(file, nothing);
      expect((await at.records.ingest()).edited).toEqual([]);
      expect(at.read(file)).toBe(before);
    }
  });

  test("opening a company shows what was just edited", async () => {
    await using at = await openAcme();
    at.edit(file, (text) => text.replace("city: Köln", "city: Bonn"));
    expect((await at.records.company("acme"))?.texts.city).toBe("Bonn");
  });
});

describe("files that users make", () => {
  test("a new folder becomes a company; its file keeps its shape", async () => {
    await using at = await openTestRecords();
    at.save("companies/New Co/_index.md", "---\n# mine\nname: New Co\nzip: 01234\n---\nHello\n");
    const { edited } = await at.records.ingest();
    expect(edited).toHaveLength(1);
    const company = await at.records.company("new-co");
    expect(company).toMatchObject({
      name: "New Co",
      description: "Hello",
      texts: { zip: "01234" },
    });
    expect(at.read("companies/new-co/_index.md")).toMatch(
      /^---\n# mine\nname: New Co\nzip: "01234"\n/,
    );
    expect(at.list("companies")).toEqual(["new-co"]);
    expect((await at.records.ingest()).edited).toEqual([]);
  });

  test("a folder that someone renamed is the same company under another name", async () => {
    await using at = await openAcme();
    renameSync(join(at.folder, "companies/acme"), join(at.folder, "companies/Acme Group"));
    await at.records.ingest();
    expect(await at.records.company("acme-group")).toMatchObject({ target, aliases: ["acme"] });
    expect(at.list("companies")).toEqual(["acme", "acme-group"]);
    expect(at.read(file)).toContain("[[companies/acme-group/_index|Acme]]");
    expect((await at.records.company("acme"))?.slug).toBe("acme-group");
  });

  test("a copied folder is shown, and becomes a new one without id and rev", async () => {
    await using at = await openAcme({ domain: undefined });
    at.save("companies/copy/_index.md", at.read(file));
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path: "companies/copy/_index.md" }]);
    expect(problems[0]!.reason).toContain("it is a copy of companies/acme/_index.md");
    at.edit("companies/copy/_index.md", (text) => text.replace(/id: .*\nrev: .*\n/, ""));
    expect((await at.records.ingest()).problems).toEqual([]);
    expect((await at.records.company("copy"))?.target).not.toBe(target);
  });

  test("a note that someone puts beside a record is an entry; one that is edited changes", async () => {
    await using at = await openAcme();
    at.save("companies/acme/notes/2026-02-03 Lunch.md", "We met.\n");
    await at.records.ingest();
    const company = await at.records.company("acme");
    expect(company?.entries).toMatchObject([
      { kind: "note", at: "2026-02-03", title: "Lunch", text: "We met.", by: "anna" },
    ]);
    const [note] = at.list("companies/acme/notes");
    expect(note).toMatch(/^2026-02-03-lunch-[0-9a-v]{8}\.md$/);
    at.edit(`companies/acme/notes/${note}`, (text) => text.replace("We met.", "We met, twice."));
    expect((await at.records.ingest()).edited).toHaveLength(1);
    expect((await at.records.company("acme"))?.entries).toMatchObject([{ text: "We met, twice." }]);
    expect(at.list("companies/acme/notes")).toEqual([note]);
    expect((await at.records.ingest()).edited).toEqual([]);
  });

  test("a file whose time did not change is looked at all the same", async () => {
    await using at = await openAcme();
    at.edit(file, (text) => text.replace("Köln", "Bonn"));
    utimesSync(join(at.folder, file), 1, 1);
    expect((await at.records.ingest()).edited).toHaveLength(1);
  });
});
