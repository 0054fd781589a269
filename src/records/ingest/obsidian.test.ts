import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";

/**
 * Obsidian shows front matter as a form. It rewrites all of it in its own order and style, with
 * lists as `- item`, texts without quotes and single-line lists, and saves either into the file or
 * through a temporary file that is renamed.
 */
const target = "company/acme.com";
const file = "companies/acme/_index.md";

type Save = (at: TestRecords, name: string, text: string) => void;
const saves: Readonly<Record<string, Save>> = {
  "in place": (at, name, text) => at.save(name, text),
  "by rename": (at, name, text) => {
    mkdirSync(dirname(join(at.folder, name)), { recursive: true });
    writeFileSync(join(at.folder, `${name}.tmp`), text);
    renameSync(join(at.folder, `${name}.tmp`), join(at.folder, name));
  },
};

async function openAcme(): Promise<TestRecords> {
  const at = await openTestRecords();
  await at.say(target, { name: "Acme", domain: "acme.com", city: "Köln", "tag/new": true });
  await at.records.createPerson({
    source: "hand:anna",
    fields: { name: "Anna Boss", "email/anna@acme.com": true },
    company: "acme",
    role: "owner",
    id: "anna",
  });
  return at;
}

const companies = (at: TestRecords) => at.list("companies");

test.each(Object.entries(saves))(
  "saved %s: names, properties, tags and notes are changed while nodes write, and nothing is lost",
  async (_, save) => {
    await using at = await openAcme();
    const random = createSeededRandom(36);
    let text = at.read(file);
    for (let turn = 0; turn < 20; turn += 1) {
      // The editor has had the file open since an earlier time: a node wrote in between.
      const opened = random.next() < 0.5 ? text : at.read(file);
      await at.say(target, { [`email/m${turn}@acme.com`]: true, rating: turn / 10 });
      const withTag = opened.replace(/^tags:\n/m, `tags:\n  - turn-${turn}\n`);
      save(at, file, withTag.replace(/^aliases:\n/m, `aliases:\n  - Alias ${turn}\n`));
      await at.records.ingest();
      text = at.read(file);
    }
    const known = await valuesOf(at.ledger, target);
    for (let turn = 0; turn < 20; turn += 1) {
      expect(known).toHaveProperty([`email/m${turn}@acme.com`]);
      expect(known).toHaveProperty([`tag/turn-${turn}`]);
    }
    expect(known).toMatchObject({ name: "Acme", rating: 1.9, "tag/new": true });
    expect(companies(at)).toEqual(["acme"]);
    expect(at.records.problems()).toEqual([]);
    expect(at.read(file)).toContain("Alias 19");
  },
);

test.each(Object.entries(saves))(
  "saved %s: a property that is renamed, front matter in Obsidian's style, and a note",
  async (_, save) => {
    await using at = await openAcme();
    const id = /^id: .*$/m.exec(at.read(file))![0];
    const rev = /^rev: .*$/m.exec(at.read(file))![0];
    save(
      at,
      file,
      `---\ntags: [new, vip]\nborough: Köln\nname: Acme\naliases:\n  - Acme\n  - The Floor People\ndomain: acme.com\npeople:\n  - "[[people/anna-boss/_index|Anna Boss]]"\n${id}\n${rev}\n---\nBought by [[companies/berg/_index|Berg]].\n`,
    );
    save(at, "companies/acme/notes/2026-11-18 Lunch.md", "Anna likes oak.\n");
    await at.say(target, { zip: "50667" });
    await at.records.ingest();
    const known = await valuesOf(at.ledger, target);
    expect(known).toMatchObject({
      "tag/new": true,
      "tag/vip": true,
      "x/borough": "Köln",
      "x/aliases": ["The Floor People"],
      zip: "50667",
      description: "Bought by [[companies/berg/_index|Berg]].",
    });
    expect(known).not.toHaveProperty("city");
    expect(Object.keys(known).filter((field) => field.startsWith("note/"))).toHaveLength(1);
    expect(Object.keys(known).filter((field) => field.startsWith("person/"))).toHaveLength(1);
    await at.records.ingest();
    expect(await valuesOf(at.ledger, target)).toEqual(known);
    expect(companies(at)).toEqual(["acme"]);
  },
);

test("links between people and companies are wiki links, and follow a folder that is renamed", async () => {
  await using at = await openAcme();
  expect(at.read(file)).toContain('"[[people/anna-boss/_index|Anna Boss]]"');
  const person = "people/anna-boss/_index.md";
  expect(at.read(person)).toContain('"[[companies/acme/_index|Acme]]"');
  // Obsidian renames the folder and, if the user wants it, the links to it.
  at.move("companies/acme", "companies/acme-floors");
  at.edit(person, (text) => text.replace("companies/acme/", "companies/acme-floors/"));
  await at.records.ingest();
  expect(at.read(person)).toContain('"[[companies/acme-floors/_index|Acme]]"');
  expect(await valuesOf(at.ledger, "person/anna")).toHaveProperty([target]);
  // A link without the name, and a link that is removed.
  await at.say("company/berg.com", { name: "Berg", domain: "berg.com" });
  at.edit(person, (text) =>
    text.replace(/- "\[\[companies\/acme-floors.*\n/, "- '[[companies/berg/_index]]'\n"),
  );
  await at.records.ingest();
  const known = await valuesOf(at.ledger, "person/anna");
  expect(known).toHaveProperty(["company/berg.com"]);
  expect(known).not.toHaveProperty([target]);
  expect(at.read(person)).toContain('"[[companies/berg/_index|Berg]]"');
  expect(at.records.problems()).toEqual([]);
});
