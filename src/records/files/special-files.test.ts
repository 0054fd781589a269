import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  device,
  linkTo,
  namedPipe,
  socket,
  type SpecialFile,
} from "../../base/testing/special-files.ts";
import { openTestRecords, type TestRecords } from "../testing/test-records.ts";

const target = "company/acme.com";
const file = "companies/acme/_index.md";
const specials: readonly (readonly [string, SpecialFile])[] = [
  ["a named pipe", namedPipe],
  ["a socket", socket],
  ["a device", device],
  ["a link to a file", linkTo("../../../outside/other.md")],
  ["a link to a device", linkTo("/dev/zero")],
];

/** Another record, to check that one bad file does not stop the rest. */
const goesOn = async (at: TestRecords) => {
  at.edit("companies/beta/_index.md", (text) => text.replace("city: Bonn", "city: Ulm"));
  const { edited, problems } = await at.records.ingest();
  expect(edited).toEqual([{ target: "company/beta.com", fields: ["city"] }]);
  return problems;
};

async function openTwo(): Promise<TestRecords> {
  const at = await openTestRecords();
  await at.say(target, { name: "Acme", city: "Köln" });
  await at.say("company/beta.com", { name: "Beta", city: "Bonn" });
  mkdirSync(join(at.folder, "outside"));
  writeFileSync(join(at.folder, "outside/other.md"), "---\nname: Elsewhere\n---\n");
  return at;
}

describe("in the place of a record's file it is reported, and never read, written or removed:", () => {
  test.each(specials)("%s", async (_, special) => {
    await using at = await openTwo();
    const path = join(at.folder, file);
    const whole = at.read(file);
    rmSync(path);
    const made = await special.make(path);
    const before = lstatSync(path);

    const problems = await goesOn(at);
    expect(problems).toMatchObject([{ path: file, target }]);
    expect(problems[0]!.reason).toContain(`${file} is ${special.words}`);
    await at.say(target, { city: "Berlin" });
    await at.records.rebuild();
    expect(lstatSync(path).ino).toBe(before.ino);
    expect(at.read("outside/other.md")).toBe("---\nname: Elsewhere\n---\n");
    expect((await at.records.company("acme"))?.texts.city).toBe("Berlin");
    expect(at.records.problems()).toMatchObject([{ path: file, target }]);

    await made[Symbol.asyncDispose]();
    at.save(file, whole.replace("city:", "rating: 4\ncity:"));
    expect((await at.records.ingest()).problems).toEqual([]);
    expect(at.read(file)).toContain("rating: 4");
    expect(at.read(file)).toContain("city: Berlin");
  });

  test.each(specials)("%s in a new folder", async (_, special) => {
    await using at = await openTwo();
    mkdirSync(join(at.folder, "companies/new"));
    await using _made = await special.make(join(at.folder, "companies/new/_index.md"));
    expect(await goesOn(at)).toMatchObject([{ path: "companies/new/_index.md" }]);
  });

  test.each(specials)("%s in the place of _fields.tsv", async (_, special) => {
    await using at = await openTwo();
    const side = "companies/acme/_fields.tsv";
    rmSync(join(at.folder, side));
    const made = await special.make(join(at.folder, side));
    at.edit(file, (text) => text.replace("Köln", "Mainz"));
    const { problems } = await at.records.ingest();
    expect(problems).toMatchObject([{ path: side, target }]);
    expect(at.read("outside/other.md")).toBe("---\nname: Elsewhere\n---\n");
    await made[Symbol.asyncDispose]();
    rmSync(join(at.folder, file));
    expect((await at.records.ingest()).problems).toEqual([]);
    expect(at.read(file)).toContain("city: Köln");
  });

  test.each(specials)("%s in the place of a note", async (_, special) => {
    await using at = await openTwo();
    const note = "companies/acme/notes/x.md";
    mkdirSync(join(at.folder, "companies/acme/notes"));
    const made = await special.make(join(at.folder, note));
    const problems = await goesOn(at);
    expect(problems).toMatchObject([{ path: note, target }]);
    expect(problems[0]!.reason).toContain(`${note} is ${special.words}`);
    await made[Symbol.asyncDispose]();
    at.save(note, "real text\n");
    expect((await at.records.ingest()).problems).toEqual([]);
    expect((await at.records.company("acme"))?.entries).toMatchObject([{ text: "real text" }]);
  });

  test("in the place of a note that we wrote", async () => {
    await using at = await openTwo();
    const note = { name: "acme", kind: "note", source: "hand:anna", text: "ours" } as const;
    await at.records.addEntry(note);
    const [name] = at.list("companies/acme/notes");
    const path = `companies/acme/notes/${name}`;
    rmSync(join(at.folder, path));
    await using _made = await linkTo("../../../../outside/other.md").make(join(at.folder, path));
    await at.say(target, { city: "Berlin" });
    expect(at.records.problems()).toMatchObject([{ path, target }]);
    expect(at.read("outside/other.md")).toBe("---\nname: Elsewhere\n---\n");
    expect(at.read(file)).toContain("city: Berlin");
  });
});

describe("a folder that is a link is reported, and nothing is read, written or removed behind it:", () => {
  /** All files behind the link. */
  const behind = (at: TestRecords) => [...at.tree("outside")];

  test("a company's folder", async () => {
    await using at = await openTwo();
    renameSync(join(at.folder, "companies/acme"), join(at.folder, "outside/acme"));
    at.save("outside/acme/notes/mine.md", "not a note of this record\n");
    at.edit("outside/acme/_index.md", (text) => text.replace("Köln", "Mainz"));
    await using _made = await linkTo("../outside/acme").make(join(at.folder, "companies/acme"));
    const before = behind(at);

    const problems = await goesOn(at);
    expect(problems).toMatchObject([{ path: file, target }]);
    expect(problems[0]!.reason).toContain("companies/acme is a symbolic link");
    await at.say(target, { city: "Berlin" });
    const note = { name: "acme", kind: "note", source: "hand:anna", text: "from here" } as const;
    await at.records.addEntry(note);
    await at.records.rebuild();
    expect(behind(at)).toEqual(before);
    expect((await at.records.company("acme"))?.texts.city).toBe("Berlin");
    expect(at.records.problems()).toMatchObject([{ path: file, target }]);

    await at.records.forget({ name: "acme", source: "hand:anna" });
    expect(behind(at)).toEqual(before);
    rmSync(join(at.folder, "companies/acme"));
    expect((await at.records.ingest()).problems).toEqual([]);
  });

  test("a person's folder, and one without a record", async () => {
    await using at = await openTwo();
    await at.records.createPerson({ source: "hand:anna", fields: { name: "Bert" } });
    renameSync(join(at.folder, "people/bert"), join(at.folder, "outside/bert"));
    await using _made = await linkTo("../outside/bert").make(join(at.folder, "people/bert"));
    at.save("outside/new/_index.md", "---\nname: New\n---\n");
    await using _more = await linkTo("../outside/new").make(join(at.folder, "companies/new"));
    const before = behind(at);
    expect(await goesOn(at)).toMatchObject([
      { path: "companies/new/_index.md" },
      { path: "people/bert/_index.md" },
    ]);
    expect(behind(at)).toEqual(before);
  });

  test("a folder of notes", async () => {
    await using at = await openTwo();
    at.save("outside/notes/mine.md", "not a note of this record\n");
    const made = await linkTo("../../outside/notes").make(join(at.folder, "companies/acme/notes"));
    const before = behind(at);
    expect(await goesOn(at)).toMatchObject([{ path: "companies/acme/notes", target }]);
    const note = { name: "acme", kind: "note", source: "hand:anna", text: "from here" } as const;
    await at.records.addEntry(note);
    await at.records.rebuild();
    expect(behind(at)).toEqual(before);
    await made[Symbol.asyncDispose]();
    await at.say(target, { city: "Berlin" });
    expect((await at.records.ingest()).problems).toEqual([]);
    expect(at.list("companies/acme/notes")).toHaveLength(1);
  });

  test("a folder that a record once had", async () => {
    await using at = await openTwo();
    await at.records.rename({ name: "acme", newName: "Zeta", source: "hand:anna" });
    rmSync(join(at.folder, "companies/acme"), { recursive: true });
    mkdirSync(join(at.folder, "outside/acme"));
    await using _made = await linkTo("../outside/acme").make(join(at.folder, "companies/acme"));
    const before = behind(at);
    await at.say(target, { city: "Berlin" });
    expect(behind(at)).toEqual(before);
    expect(await goesOn(at)).toMatchObject([{ path: file }]);
  });

  test("all companies: nothing is done at all, and the link is named", async () => {
    await using at = await openTwo();
    renameSync(join(at.folder, "companies"), join(at.folder, "outside/companies"));
    const made = await linkTo("outside/companies").make(join(at.folder, "companies"));
    const before = behind(at);
    await expect(at.records.ingest()).rejects.toThrow("companies is a symbolic link");
    await expect(at.reopen()).rejects.toMatchObject({ code: "not_a_regular_file" });
    expect(behind(at)).toEqual(before);
    await made[Symbol.asyncDispose]();
  });
});

test("a plain file among the folders of records is left alone, and in the way of one it is reported", async () => {
  await using at = await openTwo();
  at.save("companies/README.md", "mine\n");
  rmSync(join(at.folder, "companies/acme"), { recursive: true });
  at.save("companies/acme", "in the way\n");
  const problems = await goesOn(at);
  expect(problems).toMatchObject([{ path: file, target }]);
  expect(problems[0]!.reason).toContain("companies/acme is a file");
  await at.say(target, { city: "Berlin" });
  expect(at.read("companies/acme")).toBe("in the way\n");
  rmSync(join(at.folder, "companies/acme"));
  expect((await at.records.ingest()).problems).toEqual([]);
  expect(at.read(file)).toContain("city: Berlin");
  expect(at.read("companies/README.md")).toBe("mine\n");
});
