import { mkdtempSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import type { Ledger, Position } from "../ledger/index.ts";
import { openTestLedger, valuesOf } from "../ledger/testing/test-ledger.ts";
import { openSqliteRecordIndex } from "./adapters/sqlite/sqlite-record-index.ts";
import { createFollower } from "./follower.ts";
import { openRecords } from "./open-records.ts";
import { openTestRecords } from "./testing/test-records.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-turns-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let seeds = 1;
const source = "site:https://acme.com";

/** Another process at the same folder, as far as one process can be two: an index of its own. */
async function openBeside(ledger: Ledger) {
  const index = openSqliteRecordIndex({ file: join(folder, "index.db"), log: silentLogger });
  const random = createSeededRandom(seeds++);
  const common = { ledger, folder, clock: systemClock, random, log: silentLogger };
  const records = await openRecords({ ...common, index, user: "anna" });
  return {
    records,
    index,
    async [Symbol.asyncDispose]() {
      await records[Symbol.asyncDispose]();
      index[Symbol.dispose]();
    },
  };
}

describe("turns among processes", () => {
  test("while one is at it, another waits, and its timers go on", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    await using other = await openBeside(ledger);
    const turn = await one.index.takeTurn(systemClock);
    let isWritten = false;
    const changes = [{ target: "company/a", field: "name", value: "A" }];
    const writing = other.records.write({ source, changes }).then(() => (isWritten = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isWritten).toBe(false);
    expect((await ledger.read("company/a")).fields).toHaveLength(1);
    turn[Symbol.dispose]();
    await writing;
    expect(one.records.resolve("company", "a")).toBe("company/a");
  });

  test("who takes turn after turn lets one in that waits", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    await using other = await openBeside(ledger);
    let mine = await one.index.takeTurn(systemClock);
    let isIn = false;
    const waiting = other.index.takeTurn(systemClock).then((turn) => {
      isIn = true;
      turn[Symbol.dispose]();
    });
    let turns = 0;
    for (; turns < 1_000 && !isIn; turns++) {
      mine[Symbol.dispose]();
      mine = await one.index.takeTurn(systemClock);
    }
    mine[Symbol.dispose]();
    await waiting;
    expect(turns).toBeLessThan(1_000);
  });

  test("two that find the same company at once make one, though each knows another key", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    await using other = await openBeside(ledger);
    const made = await Promise.all([
      one.records.create({ source, fields: { domain: "a.example", name: "A" } }),
      other.records.create({ source, fields: { place: "osm/1", domain: "a.example" } }),
    ]);
    expect(made.map(({ outcome }) => outcome).sort()).toEqual(["created", "known"]);
    expect(made[0]!.target).toBe(made[1]!.target);
    expect(one.index.byDomain("a.example")).toEqual([made[0]!.target]);
  });

  test("one that was written by a process that died is known to who makes the same", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    const changes = [{ target: "company/a.example", field: "domain", value: "a.example" }];
    await ledger.write({ source, changes });
    const fields = { place: "osm/1", domain: "a.example" };
    const { target } = await one.records.create({ source, fields });
    expect(target).toBe("company/a.example");
  });

  test("a problem that another process has found is mended by this one", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    await using other = await openBeside(ledger);
    const changes = [{ target: "company/a", field: "name", value: "A" }];
    await one.records.write({ source, changes });
    const file = join(folder, "companies/a/_index.md");
    renameSync(file, `${file}.old`);
    writeFileSync(file, "---\nname: [\n---\n");
    expect((await other.records.ingest()).problems).toHaveLength(1);
    unlinkSync(file);
    renameSync(`${file}.old`, file);
    expect((await one.records.ingest()).problems).toEqual([]);
    expect(other.records.problems()).toEqual([]);
  });

  test("how far another process has come is never taken back", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    await using other = await openBeside(ledger);
    for (const [at, { records }] of [other, other, one, other, one].entries()) {
      const changes = [{ target: `company/${at}`, field: "name", value: "A" }];
      await records.write({ source, changes });
    }
    const vector = Object.fromEntries(ledger.vector());
    expect(one.index.position()).toMatchObject({ vector });
    const { batches } = await ledger.changedSince(one.index.position());
    for await (const targets of batches) expect(targets).toEqual([]);
  });

  test("an index that another process made anew is the one that is used", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    await one.records.createAll([{ source, fields: { domain: "a.example", name: "A" } }]);
    for (const suffix of ["", "-wal", "-shm"]) unlinkSync(join(folder, `index.db${suffix}`));
    await using other = await openBeside(ledger);
    await other.records.create({ source, fields: { domain: "b.example", name: "B" } });
    await one.records.create({ source, fields: { domain: "c.example", name: "C" } });
    const all = ["company/a.example", "company/b.example", "company/c.example"];
    expect(other.index.targets({ kind: "company", limit: 9 })).toEqual(all);
    expect(one.index.targets({ kind: "company", limit: 9 })).toEqual(all);
  });

  test("one hand edit that two take in at once is one set of facts", async () => {
    await using ledger = await openTestLedger({});
    await using one = await openBeside(ledger);
    await using other = await openBeside(ledger);
    const changes = [{ target: "company/a", field: "name", value: "A" }];
    await one.records.write({ source, changes });
    const file = join(folder, "companies/a/_index.md");
    writeFileSync(file, `---\ncity: Bonn\n${readFileSync(file, "utf8").slice(4)}`);
    const taken = await Promise.all([one.records.ingest(), other.records.ingest()]);
    expect(taken.flatMap(({ edited }) => edited)).toEqual([
      { target: "company/a", fields: ["city"] },
    ]);
    expect(await valuesOf(ledger, "company/a")).toMatchObject({ city: "Bonn" });
    expect(ledger.log().filter(({ field }) => field === "city")).toHaveLength(1);
  });
});

test("a copy that another process took just now is left to rest, also when we end", async () => {
  const at = await openTestRecords();
  const target = "company/acme.com";
  await at.say(target, { name: "Acme", city: "Köln" });
  await at.say(target, { city: "Bonn" });
  const copies = at.list("records/aside");
  expect(copies).toHaveLength(2);
  await using other = await at.reopen();
  await other.ingest();
  expect(at.list("records/aside")).toEqual(copies);
  await at.records[Symbol.asyncDispose]();
  expect(at.list("records/aside")).toEqual(copies);
  await at.clock.advance(3_000);
  await other.ingest();
  expect(at.list("records/aside")).toEqual([]);
  rmSync(at.folder, { recursive: true, force: true });
});

describe("how far it has come", () => {
  const at = (last: number): Position => ({
    checkpoint: 0,
    parts: "",
    aside: [],
    vector: { "n/s": last },
  });
  const some = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => {
      return { node: "n", session: "s", number: first + index } as never;
    });

  test("never beyond what nobody has rendered", () => {
    const follower = createFollower(at(3));
    expect(follower.rendered(some(6, 7))).toBeUndefined();
    expect(follower.position()).toEqual(at(3));
    follower.adopt(at(4));
    expect(follower.position()).toEqual(at(4));
    follower.adopt(at(5));
    expect(follower.position()).toEqual(at(7));
  });

  test("from the beginning where another has emptied the index", () => {
    const follower = createFollower(at(3));
    follower.rendered(some(5, 5));
    follower.adopt(undefined);
    expect(follower.position()).toBeUndefined();
    follower.adopt(at(4));
    expect(follower.position()).toEqual(at(4));
  });
});
