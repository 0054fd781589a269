import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { valuesOf } from "../ledger/testing/test-ledger.ts";
import { openSqliteRecordIndex } from "./adapters/sqlite/sqlite-record-index.ts";
import type { Records } from "./records.ts";
import { createMemoryRecordIndex } from "./testing/memory-record-index.ts";
import {
  openTestRecords,
  type TestRecords,
  type TestRecordsOptions,
} from "./testing/test-records.ts";

const source = "site:https://acme.com";
const nameOf = (target: string, name: string) => ({
  source,
  changes: [{ target, field: "name", value: name }],
});

/** More than one slice of every kind of long work. */
const many = 250;

async function openMany(options: TestRecordsOptions = {}): Promise<TestRecords> {
  const at = await openTestRecords(options);
  const commits = Array.from({ length: many }, (_, index) =>
    nameOf(`company/${1_000 + index}`, `C ${1_000 + index}`),
  );
  await at.records.writeAll(commits);
  return at;
}

/** Writes repeatedly while long work runs; returns how many writes finished before it did. */
async function writesDuring(at: TestRecords, long: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let writes = 0;
  const working = long().then(() => (isOver = true));
  for (let number = 0; !isOver && number < 1_000; number++) {
    await at.records.write(nameOf("company/other", `Other ${number}`));
    if (!isOver) writes += 1;
  }
  await working;
  return writes;
}

describe("other writes get through while long work runs", () => {
  test("ingest of all files", async () => {
    await using at = await openMany();
    expect(await writesDuring(at, () => at.records.ingest())).toBeGreaterThan(0);
    let done = 0;
    const ingesting = at.records.ingest({ onProgress: (progress) => void (done = progress.done) });
    await at.records.catchUp();
    expect(done).toBe(100);
    await ingesting;
    expect(done).toBe(200);
  });

  test("catching up", async () => {
    await using at = await openMany();
    await Promise.all(
      Array.from({ length: many }, (_, index) => {
        const target = `company/${1_000 + index}`;
        return at.ledger.write({ source, changes: [{ target, field: "city", value: "Bonn" }] });
      }),
    );
    expect(await writesDuring(at, () => at.records.catchUp())).toBeGreaterThan(0);
    expect(at.read("companies/c-1249/_index.md")).toContain("city: Bonn");
    expect(at.index.position()?.vector).toEqual(Object.fromEntries(at.ledger.vector()));
  });

  test("the part of a rebuild that reads all files; the new index has all of it", async () => {
    await using at = await openMany();
    expect(await writesDuring(at, () => at.records.rebuild())).toBeGreaterThan(0);
    expect(at.index.targets({ kind: "company", limit: 1_000 })).toHaveLength(many + 1);
    const shown = await at.records.company("company/other");
    expect(shown?.name).toBe((await valuesOf(at.ledger, "company/other"))["name"]);
    expect(at.records.problems()).toEqual([]);
  });
});

describe("long work that is stopped", () => {
  const works: [string, (records: Records, signal: AbortSignal) => Promise<unknown>][] = [
    ["ingest", (records, signal) => records.ingest({ signal })],
    ["rebuild", (records, signal) => records.rebuild({ signal })],
  ];
  test.each(works)("%s ends with `aborted`, and the records work as before", async (_, work) => {
    await using at = await openMany();
    const stop = new AbortController();
    const working = work(at.records, stop.signal);
    const written = at.records.write(nameOf("company/other", "Other"));
    await written;
    stop.abort();
    await expect(working).rejects.toMatchObject({ kind: "aborted" });
    await at.records.write(nameOf("company/last", "Last"));
    expect((await at.records.company("last"))?.name).toBe("Last");
    expect(at.index.targets({ kind: "company", limit: 1_000 })).toHaveLength(many + 2);
  });

  test("watching that is stopped does not read all files first", async () => {
    await using at = await openMany();
    for (const name of at.list("companies")) {
      at.edit(`companies/${name}/_index.md`, (text) => text.replace("---\n", "---\ncity: Ulm\n"));
    }
    const watching = at.records.watch({ checkMs: 3_600_000 });
    await at.records.catchUp();
    await watching.stop();
    const edited = (await at.ledger.log({ from: 0, limit: Infinity })).filter(
      ({ field }) => field === "city",
    ).length;
    expect(edited).toBeGreaterThan(0);
    expect(edited).toBeLessThan(many);
    expect((await at.records.ingest()).edited).toHaveLength(many - edited);
  });

  test("a fill that is stopped leaves the old index in use", async () => {
    const index = createMemoryRecordIndex();
    const stop = new AbortController();
    let onFill = () => {};
    const startReplacement = () => {
      onFill();
      return index.startReplacement();
    };
    await using at = await openMany({ index: { ...index, startReplacement } });
    const position = at.index.position();
    onFill = () => stop.abort();
    const rebuilding = at.records.rebuild({ signal: stop.signal });
    await expect(rebuilding).rejects.toMatchObject({ kind: "aborted" });
    onFill = () => {};
    expect(at.index.position()).toEqual(position);
    expect(at.records.resolve("company", "c-1007")).toBe("company/1007");
    await at.records.write(nameOf("company/1007", "Seven"));
    expect(at.read("companies/seven/_index.md")).toContain("name: Seven");
    expect((await at.records.ingest()).edited).toEqual([]);
    expect(await at.records.rebuild()).toEqual({ records: many });
  });
});

describe("two requests at once", () => {
  test("that find the same company make one, though each knows another key", async () => {
    await using at = await openTestRecords();
    const made = await Promise.all([
      at.records.create({ source, fields: { domain: "a.example", name: "A" } }),
      at.records.create({ source, fields: { place: "osm/1", domain: "a.example" } }),
    ]);
    expect(made.map(({ outcome }) => outcome)).toEqual(["created", "known"]);
    expect(made[0].target).toBe(made[1].target);
    expect(at.index.byDomain("a.example")).toEqual([made[0].target]);
  });

  test("that ingest the same hand edit write one set of facts", async () => {
    await using at = await openTestRecords();
    await at.say("company/a", { name: "A" });
    at.edit("companies/a/_index.md", (text) => `---\ncity: Bonn\n${text.slice(4)}`);
    const found = await Promise.all([at.records.ingest(), at.records.ingest()]);
    expect(found.flatMap(({ edited }) => edited)).toEqual([
      { target: "company/a", fields: ["city"] },
    ]);
    expect(
      (await at.ledger.log({ from: 0, limit: Infinity })).filter(({ field }) => field === "city"),
    ).toHaveLength(1);
  });
});

test("a company that was written past the records is known to a request for the same", async () => {
  await using at = await openTestRecords();
  const changes = [{ target: "company/a.example", field: "domain", value: "a.example" }];
  await at.ledger.write({ source, changes });
  const fields = { place: "osm/1", domain: "a.example" };
  expect((await at.records.create({ source, fields })).target).toBe("company/a.example");
});

test("work that fails in the index leaves no position that covers what is not there", async () => {
  const index = createMemoryRecordIndex();
  let isFailing = false;
  const failing = {
    ...index,
    update(batch: Parameters<typeof index.update>[0]) {
      if (isFailing) throw new Error("the index cannot be written");
      index.update(batch);
    },
  };
  await using at = await openTestRecords({ index: failing });
  await at.say("company/a", { name: "A" });
  isFailing = true;
  await expect(at.say("company/b", { name: "B" })).rejects.toThrow("cannot be written");
  isFailing = false;
  await at.say("company/c", { name: "C" });
  expect(index.find("company/b")).toBeUndefined();
  expect(await at.records.catchUp()).toEqual({ records: 2 });
  expect(index.find("company/b")).toBeDefined();
  expect(index.position()?.vector).toEqual(Object.fromEntries(at.ledger.vector()));
});

test("a file that was held back just now stays, also when the records are closed", async () => {
  const at = await openTestRecords();
  const target = "company/acme.com";
  await at.say(target, { name: "Acme", city: "Köln" });
  await at.say(target, { city: "Bonn" });
  const held = at.list("records/aside");
  expect(held).toHaveLength(2);
  await at.records.ingest();
  await at.records[Symbol.asyncDispose]();
  expect(at.list("records/aside")).toEqual(held);
  await using next = await at.reopen();
  expect(at.list("records/aside")).toEqual(held);
  await at.clock.advance(3_000);
  await next.ingest();
  expect(at.list("records/aside")).toEqual([]);
  rmSync(at.folder, { recursive: true, force: true });
});

describe("a damaged index", () => {
  let at: TestRecords;
  let file = "";
  const open = async () => {
    const index = openSqliteRecordIndex({ file, log: silentLogger });
    return { index, records: await at.reopen({ index }) };
  };
  /** In the middle of the file, which opening does not read. */
  const damage = () => {
    const bytes = readFileSync(file);
    expect(bytes.length).toBeGreaterThan(40 * 4_096);
    writeFileSync(file, bytes.fill(0x5a, 8 * 4_096));
  };
  beforeEach(async () => {
    at = await openMany();
    file = join(at.folder, "index/records.db");
    const { index, records } = await open();
    await records[Symbol.asyncDispose]();
    index[Symbol.dispose]();
  });
  afterEach(() => at[Symbol.asyncDispose]());

  test("is made again when the records are opened and something is new", async () => {
    damage();
    const changes = Array.from({ length: many }, (_, number) => {
      return { target: `company/${1_000 + number}`, field: "city", value: "Bonn" };
    });
    await at.ledger.write({ source, changes });
    const { index, records } = await open();
    expect(index.targets({ kind: "company", limit: 1_000 })).toHaveLength(many);
    expect((await records.company("c-1100"))?.texts.city).toBe("Bonn");
    index[Symbol.dispose]();
  });

  test("is made again by a rebuild in the process that has it open", async () => {
    at.edit("companies/c-1100/_index.md", (text) => text.replace("---\n", "---\ncity: Ulm\n"));
    const { index, records } = await open();
    damage();
    expect(() => {
      for (let number = 0; number < many; number++) index.find(`company/${1_000 + number}`);
    }).toThrow("`forager records rebuild`");
    expect(await records.rebuild()).toEqual({ records: many });
    expect(index.targets({ kind: "company", limit: 1_000 })).toHaveLength(many);
    expect((await records.company("c-1100"))?.texts.city).toBe("Ulm");
    index[Symbol.dispose]();
  });
});
