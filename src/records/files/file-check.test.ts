import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linkTo, namedPipe } from "../../base/testing/special-files.ts";
import { createFileCheck } from "./file-check.ts";
import { openTestRecords } from "../testing/test-records.ts";

const target = "company/a";
const file = "companies/acme/_index.md";

test("a file is edited from the moment it is saved until it is ingested", async () => {
  await using at = await openTestRecords();
  const check = createFileCheck(at);
  expect(check.isFileEdited(target)).toBe(false);
  await at.say(target, { name: "Acme", city: "Köln" });
  await at.records.addEntry({ name: "acme", kind: "note", source: "hand:anna", text: "hi" });
  expect(check.isFileEdited(target)).toBe(false);
  at.edit(file, (text) => text.replace("Köln", "Bonn"));
  const before = at.tree("companies");
  expect(check.isFileEdited(target)).toBe(true);
  expect(at.tree("companies")).toEqual(before);
  await at.records.ingest();
  expect(check.isFileEdited(target)).toBe(false);
});

test("so is a new note, and an edited one", async () => {
  await using at = await openTestRecords();
  const check = createFileCheck(at);
  await at.say(target, { name: "Acme" });
  at.save("companies/acme/notes/.hidden.md", "not ours");
  at.save("companies/acme/notes/photo.jpg", "not ours");
  at.save("companies/acme/notes/empty.md", "");
  expect(check.isFileEdited(target)).toBe(false);
  at.save("companies/acme/notes/lunch.md", "with Anna");
  expect(check.isFileEdited(target)).toBe(true);
  await at.records.ingest();
  expect(check.isFileEdited(target)).toBe(false);
  const [note = ""] = at.list("companies/acme/notes").filter((name) => name.includes("lunch"));
  at.edit(`companies/acme/notes/${note}`, (text) => text.replace("Anna", "Bob"));
  expect(check.isFileEdited(target)).toBe(true);
});

test("an older render is not the last one; a missing, empty or special file is no edit", async () => {
  await using at = await openTestRecords();
  const check = createFileCheck(at);
  await at.say(target, { name: "Acme" });
  const old = at.read(file);
  await at.say(target, { city: "Bonn" });
  at.save(file, old);
  expect(check.isFileEdited(target)).toBe(true);
  at.save(file, "");
  expect(check.isFileEdited(target)).toBe(false);
  at.move(file, "companies/elsewhere");
  expect(check.isFileEdited(target)).toBe(false);
  for (const special of [namedPipe, linkTo(join(at.folder, "companies/elsewhere"))]) {
    await using _special = await special.make(join(at.folder, file));
    expect(check.isFileEdited(target)).toBe(false);
  }
  mkdirSync(join(at.folder, file));
  expect(check.isFileEdited(target)).toBe(false);
});
