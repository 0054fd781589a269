import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { openTestRecords } from "../testing/test-records.ts";

const target = "company/acme.com";
const file = "companies/acme/_index.md";
const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${["b", "c", "d", "e", "f", "g"]
  .map((name, at) => `${name}: &${name} [${`*${"abcdef"[at]},`.repeat(9)}]\n`)
  .join("")}`;

const broken: readonly (readonly [string, RegExp, (text: string) => string | Uint8Array])[] = [
  ["YAML that is none", /not YAML/, (text) => text.replace("city: Köln", "city: [Köln")],
  ["a key twice", /not YAML: Map keys must be unique/, (text) => text.replace("city:", "name:")],
  ["program text, ---js", /begins with "---js"/, (text) => text.replace("---", "---js")],
  ["an anchor", /anchor/, (text) => text.replace("city: Köln", "city: &x Köln\nb: *x")],
  ["a bomb of anchors", /anchor/, (text) => text.replace("city: Köln\n", bomb)],
  ["a tag of a program", /not YAML: Unresolved tag/, (text) => text.replace("Köln", "!!js/eval 1")],
  ["a value without end", /not YAML/, (text) => text.replace("Köln", "[".repeat(100_000))],
  [
    "marks of a merge in front",
    /unfinished merge/,
    (text) => text.replace("city: Köln", "<<<<<<< ours\ncity: Köln\n=======\ncity: B\n>>>>>>> x"),
  ],
  [
    "marks of a merge in the body",
    /unfinished merge/,
    (text) => `${text}\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n`,
  ],
  ["bytes that are no text", /not UTF-8/, (text) => Buffer.concat([Buffer.from(text), bad])],
  ["no end of the front matter", /has no end/, (text) => text.replace("\n---\n", "\n")],
  ["no front matter", /no front matter/, () => "# Acme\n"],
  ["a list where text belongs", /city must be text/, (text) => text.replace("Köln", "[a, b]")],
  ["text where a number belongs", /rating must be a number/, (text) => text.replace("4.5", "good")],
  ["another id", /its id is other/, (text) => text.replace("id: acme.com", "id: other")],
  ["no rev", /rev: line is gone/, (text) => text.replace(/rev: .*\n/, "")],
  ["a rev that never was", /too old/, (text) => text.replace(/rev: .*/, "rev: 0123456789abcdef")],
  ["a person nobody knows", /not known/, (text) => text.replace("id:", "people: ['[[x]]']\nid:")],
  [
    "a name too long to store",
    /refused/,
    (text) => text.replace("id:", `tags: [${"x".repeat(400)}]\nid:`),
  ],
  ["a body too long to store", /holds at most/, (text) => text + "x".repeat(2 ** 20)],
  [
    "too much front matter",
    /over 262144 bytes/,
    (text) => text.replace("id:", `# ${"x".repeat(2 ** 18)}\nid:`),
  ],
];
const bad = Uint8Array.of(0xff, 0xfe, 0x80);

test("a broken file that is put back as it was shows what came meanwhile", async () => {
  await using at = await openTestRecords();
  await at.say(target, { name: "Acme", city: "Köln" });
  const whole = at.read(file);
  at.save(file, whole.replace("---", "---js"));
  const [first] = (await at.records.ingest()).problems;
  await at.clock.advance(60_000);
  await at.say(target, { city: "Berlin" });
  expect(at.records.problems()).toEqual([first]);

  at.save(file, whole);
  expect((await at.records.ingest()).problems).toEqual([]);
  expect(at.read(file)).toContain("city: Berlin");
});

test("a broken file that was removed is not a problem any more; a folder that was removed is written again", async () => {
  await using at = await openTestRecords();
  await at.say(target, { name: "Acme" });
  at.save("companies/ACME/_index.md", "---\nname: Other\n---\n");
  at.save("companies/new/_index.md", "no front matter");
  expect((await at.records.ingest()).problems).toHaveLength(2);
  rmSync(join(at.folder, "companies"), { recursive: true });
  expect((await at.records.ingest()).problems).toEqual([]);
  expect(at.list("companies")).toEqual(["acme"]);
  expect(at.read(file)).toContain("name: Acme");
});

describe("a broken file is shown and left alone, its facts are indexed, and mending it is enough", () => {
  test.each(broken)("%s", async (_, reason, damage) => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", city: "Köln", rating: 4.5 });
    const whole = at.read(file);
    const bytes = damage(whole);
    const damaged = Buffer.concat([typeof bytes === "string" ? Buffer.from(bytes) : bytes]);
    expect(damaged.equals(Buffer.from(whole))).toBe(false);
    at.save(file, damaged);
    const before = await valuesOf(at.ledger, target);

    const { problems, edited } = await at.records.ingest();
    expect(edited).toEqual([]);
    expect(problems).toMatchObject([{ path: file, target }]);
    expect(problems[0]!.reason).toMatch(reason);
    expect(await valuesOf(at.ledger, target)).toEqual(before);
    expect(at.records.problems()).toEqual(problems);

    await at.say(target, { city: "Berlin" });
    await at.records.rebuild();
    expect(at.bytes(file).equals(damaged)).toBe(true);
    expect((await at.records.company("acme"))?.texts.city).toBe("Berlin");
    expect(at.records.problems()).toMatchObject([{ path: file }]);

    at.save(file, whole.replace("rating: 4.5", "rating: 5"));
    expect((await at.records.ingest()).problems).toEqual([]);
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Berlin", rating: 5 });
    expect(at.read(file)).toContain("city: Berlin");
  });

  test("two folders of one name in different case are shown", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme" });
    at.save("companies/ACME/_index.md", "---\nname: Other\n---\n");
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path: "companies/ACME/_index.md" }]);
    expect(problems[0]!.reason).toContain("are one name on some disks");
    expect(at.read("companies/ACME/_index.md")).toBe("---\nname: Other\n---\n");
  });

  test("a note that cannot be read is shown and stays", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme" });
    at.save("companies/acme/notes/x.md", "---\nmood: [good\n---\n");
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path: "companies/acme/notes/x.md" }]);
    expect(at.read("companies/acme/notes/x.md")).toBe("---\nmood: [good\n---\n");
    at.save("companies/acme/notes/x.md", "---\ntitle: mood\n---\ngood\n");
    expect((await at.records.ingest()).problems).toEqual([]);
    expect((await at.records.company("acme"))?.entries).toMatchObject([{ title: "mood" }]);
  });

  test("text that looks like marks of a merge, and was there before, is not an error", async () => {
    await using at = await openTestRecords();
    const description = "<<<<<<< a\n=======\n>>>>>>> b";
    await at.say(target, { name: "Acme", description, city: "Köln" });
    at.edit(file, (text) => text.replace("Köln", "Bonn"));
    expect(await at.records.ingest()).toMatchObject({
      problems: [],
      edited: [{ fields: ["city"] }],
    });
  });

  test("auxiliary text over 1 MiB is cut with a warning; the record is there", async () => {
    await using at = await openTestRecords();
    const { cut } = await at.records.write({
      source: "site:https://acme.com",
      changes: [
        { target, field: "name", value: "Acme" },
        { target, field: "sitemap", value: "x".repeat(2 ** 20 + 10) },
      ],
    });
    expect(cut).toMatchObject([{ field: "sitemap" }]);
    expect(at.read(file)).toContain("name: Acme");
    expect(at.read("companies/acme/_fields.tsv").length).toBeLessThan(2_000);
  });
});
