import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../ledger/testing/test-ledger.ts";
import { createMemoryRecordIndex } from "../testing/memory-record-index.ts";
import { openTestRecords } from "../testing/test-records.ts";

const site = "site:https://acme.com";
const target = "company/acme.com";
const file = "companies/acme/_index.md";
const set = (of: string, field: string, value: unknown) => ({
  source: site,
  changes: [{ target: of, field, value }],
});

describe("catching up", () => {
  test("what was written past the records comes with the next look, and only that", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme" });
    await at.ledger.write(set(target, "city", "Köln"));
    await at.ledger.write(set("company/b", "name", "Other"));
    await at.ledger.write(set("tile/30.2_-97.7", "floors", { found: 3 }));
    expect(at.read(file)).not.toContain("Köln");
    expect(await at.records.catchUp()).toEqual({ records: 3 });
    expect(at.read(file)).toContain("city: Köln");
    expect((await at.records.company("other"))?.target).toBe("company/b");
    expect(await at.records.catchUp()).toEqual({ records: 0 });
    await at.say(target, { city: "Bonn" });
    expect(await at.records.catchUp()).toEqual({ records: 0 });
  });

  test("an edit that is imported on the way is not lost to what was read ahead", async () => {
    await using at = await openTestRecords();
    await at.say("company/b", { name: "Acme", city: "Köln" });
    at.edit(file, (text) => text.replace("city: Köln", "city: Bonn"));
    // The first takes the folder from the second, whose file is then ingested.
    await at.ledger.write(set("company/a", "name", "Acme"));
    await at.ledger.write(set("company/b", "zip", "1"));
    await at.records.catchUp();
    expect(at.read(file)).toContain("id: a\n");
    const [other] = at.list("companies").filter((name) => name !== "acme");
    expect(at.read(`companies/${other}/_index.md`)).toContain("city: Bonn");
    expect(await valuesOf(at.ledger, "company/b")).toMatchObject({ city: "Bonn", zip: "1" });
  });

  test("a rebuild counts records that are there, each once, and comes to its end with the last", async () => {
    await using at = await openTestRecords();
    for (const id of ["a", "b", "c", "d"]) await at.say(`company/${id}`, { name: `Acme ${id}` });
    await at.ledger.write(set("tile/30.2_-97.7", "floors", { found: 3 }));
    await at.records.merge({ from: "acme-a", into: "acme-b", source: "hand:anna" });
    await at.records.forget({ name: "acme-c", source: "hand:anna" });
    const reported: unknown[] = [];
    const onProgress = (progress: { step: string }) => {
      if (progress.step === "files") reported.push(progress);
    };
    expect(await at.records.rebuild({ onProgress })).toEqual({ records: 2 });
    expect(reported.at(-1)).toEqual({ step: "files", done: 2, total: 2 });
    expect((await at.records.company("acme-a"))?.target).toBe("company/b");
  });

  test("what was forgotten elsewhere is scrubbed from the index here", async () => {
    const index = createMemoryRecordIndex();
    let scrubs = 0;
    const counted = { ...index, scrub: () => void (scrubs += 1) };
    await using at = await openTestRecords({ index: counted });
    await at.say(target, { name: "Acme" });
    await at.records.catchUp();
    expect(scrubs).toBe(0);
    await at.ledger.forget({ target, source: "hand:anna" });
    await at.records.catchUp();
    expect(await at.records.company("acme")).toBeUndefined();
    expect(at.has(file)).toBe(false);
    expect(scrubs).toBe(1);
  });

  test("a later write that is rendered first does not hide an earlier one that is not", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme" });
    await at.ledger.write(set("company/b", "name", "Unseen"));
    await at.say(target, { city: "Köln" });
    await using again = await at.reopen();
    expect(await again.company("unseen")).toBeDefined();
  });

  test("a crash between ledger and files: the next life ends it, index and all", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme" });
    await at.ledger.write(set(target, "city", "Köln"));
    await using again = await at.reopen();
    expect(at.read(file)).toContain("city: Köln");
    expect((await again.company("acme"))?.texts.city).toBe("Köln");
  });

  test("a crash after a file was taken away, and before the new one was there", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", city: "Köln" });
    at.edit(file, (text) => text.replace("Köln", "Bonn"));
    const edited = at.read(file);
    const moment = at.clock.nowMs().toString(36);
    at.move(file, `records/aside/${moment}-abcdefgh-companies~acme~_index.md`);
    await using again = await at.reopen();
    expect((await again.company("acme"))?.texts.city).toBe("Bonn");
    expect(at.read(file)).toContain("city: Bonn");
    expect(at.list("records/aside")).toEqual([]);
    expect(at.list("records/kept").map((name) => at.read(`records/kept/${name}`))).toEqual([
      edited,
    ]);
  });

  test("without its index, or without its files, all comes back from the ledger, byte for byte", async () => {
    await using at = await openTestRecords();
    for (const id of ["a", "b", "c"]) await at.say(`company/${id}`, { name: "Acme", city: id });
    await at.records.addEntry({ name: "acme", kind: "meeting", source: "hand:bob", text: "hi" });
    await at.records.rename({ name: "company/b", source: "hand:bob", newName: "Zenith" });
    const before = at.tree("companies");
    const index = createMemoryRecordIndex();
    await using fresh = await at.reopen({ index });
    expect(at.tree("companies")).toEqual(before);
    expect(index.targets({ kind: "company", limit: 10 })).toHaveLength(3);
    rmSync(join(at.folder, "companies"), { recursive: true });
    const progress: number[] = [];
    await fresh.rebuild({
      onProgress: ({ step, done }) => step === "files" && progress.push(done),
    });
    const texts = ([name, text]: readonly [string, string]) => [name, text.split("\n\n")[0]];
    const sections = (tree: ReadonlyMap<string, string>) => [...tree].map(texts);
    expect(sections(at.tree("companies"))).toEqual(sections(before));
    expect(progress.at(-1)).toBe(3);
  });

  test("rebuild imports manual edits first, and removes folders without a record", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme", city: "Köln" });
    await at.say("company/b", { name: "Other" });
    at.edit(file, (text) => text.replace("Köln", "Bonn"));
    const left = at.read("companies/other/_index.md");
    await at.records.rename({ name: "other", source: "hand:bob", newName: "Zenith" });
    await at.ledger.write({
      source: "hand:bob",
      changes: [{ target: "company/b", field: "alias/other", unset: true }],
    });
    at.save("companies/stray/_index.md", left);
    await at.records.rebuild();
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Bonn" });
    expect(at.list("companies")).toEqual(["acme", "zenith"]);
    expect(at.records.problems()).toEqual([]);
  });

  test("a folder that may not be written to: a clear error, nothing lost, and on it goes", async () => {
    await using at = await openTestRecords();
    await at.say(target, { name: "Acme" });
    const isRoot = process.geteuid!() === 0; // permissions do not apply to root
    for (const name of ["companies/acme", "records", "records/tmp", "."]) {
      chmodSync(join(at.folder, name), 0o555);
    }
    if (isRoot) process.seteuid!(65534);
    try {
      await expect(at.say(target, { city: "Köln" })).rejects.toMatchObject({
        code: "file_not_permitted",
        message: expect.stringMatching(/^the facts are stored, but not their files: .*writable/),
      });
    } finally {
      if (isRoot) process.seteuid!(0);
      for (const name of ["companies/acme", "records", "records/tmp", "."]) {
        chmodSync(join(at.folder, name), 0o755);
      }
    }
    expect(await valuesOf(at.ledger, target)).toMatchObject({ city: "Köln" });
    expect((await at.records.company("acme"))?.texts.city).toBe("Köln");
    await at.records.catchUp();
    expect(at.read(file)).toContain("city: Köln");
  });
});
