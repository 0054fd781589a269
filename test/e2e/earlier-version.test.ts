// inputs: src/** package.json tsconfig.json tsconfig.build.json
import Database from "better-sqlite3";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => void (sandbox = await createRecordsSandbox()));
afterEach(() => sandbox.remove());

const earlierLock = "ledger/lock.db";
const locks = [earlierLock, "node/touch.db", "index/records.db-turn", "index/records.db-next"];
const texts = {
  "ledger/door.json": `{"format":1,"port":1,"token":"${"0".repeat(64)}","pid":1}\n`,
  "node/hints/added": "",
  "fleet/windows/1.json": `{"port":1,"token":"0"}\n`,
};

/** A data folder as version 0.1 left it: its index in WAL mode, and its files for meeting. */
async function makeEarlierFolder(): Promise<void> {
  await sandbox.good("company", "add", "Acme", "--domain", "acme.example");
  const index = new Database(sandbox.inData("index/records.db"));
  index.pragma("journal_mode = wal");
  index.close();
  for (const name of locks) {
    mkdirSync(dirname(sandbox.inData(name)), { recursive: true });
    const db = new Database(sandbox.inData(name));
    db.exec("create table if not exists lock (x)");
    db.close();
  }
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(sandbox.inData(name)), { recursive: true });
    writeFileSync(sandbox.inData(name), text);
  }
}

test("a data folder of the version before is taken over as it is, and its lock files go", async () => {
  await makeEarlierFolder();
  const node = readFileSync(sandbox.inData("ledger/node.json"), "utf8");
  // A command that only reads leaves them alone.
  expect(await sandbox.good("company", "show", "acme")).toContain("acme.example");
  expect(existsSync(sandbox.inData(earlierLock))).toBe(true);
  await sandbox.good("company", "set", "acme", "city=Bonn");
  expect(await sandbox.good("company", "show", "acme")).toContain("Bonn");
  const left = [...locks, "ledger/door.json", "node/hints", "fleet/windows"];
  expect(left.filter((name) => existsSync(sandbox.inData(name)))).toEqual([]);
  expect(JSON.parse(readFileSync(sandbox.inData("ledger/node.json"), "utf8"))).toMatchObject({
    node: (JSON.parse(node) as { readonly node: string }).node,
  });
  expect(await sandbox.good("ledger", "verify")).toContain("are sound");
});

test("while a process of the version before runs, writing is refused and nothing is changed", async () => {
  await makeEarlierFolder();
  const held = new Database(sandbox.inData(earlierLock), { timeout: 0 });
  held.exec("begin exclusive");
  try {
    const set = await sandbox.onData(["company", "set", "acme", "city=Bonn"]);
    expect(set).toMatchObject({ exitCode: 1, stdout: "" });
    expect(set.stderr).toContain(
      "a process of an earlier version of forager uses this data folder",
    );
    expect(existsSync(sandbox.inData("ledger/door.json"))).toBe(true);
    expect(await sandbox.good("company", "show", "acme")).not.toContain("Bonn");
  } finally {
    held.close();
  }
  await sandbox.good("company", "set", "acme", "city=Bonn");
});
