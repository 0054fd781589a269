// inputs: src/**
import { mkdirSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { device, linkTo, namedPipe, socket } from "../../src/base/testing/special-files.ts";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";

let sandbox: RecordsSandbox;
beforeEach(async () => void (sandbox = await createRecordsSandbox()));
afterEach(() => sandbox.remove());

test.each([
  ["a named pipe", namedPipe],
  ["a device", device],
  ["a socket", socket],
  ["a symbolic link", linkTo("/dev/zero")],
])("records ingest names %s in companies/, takes in the rest, and ends", async (words, special) => {
  await sandbox.good("company", "add", "Acme", "--city", "Bonn");
  const inData = (path: string) => sandbox.inData(path);
  rmSync(inData("companies/acme/_index.md"));
  await using _known = await special.make(inData("companies/acme/_index.md"));
  mkdirSync(inData("companies/new"));
  await using _new = await special.make(inData("companies/new/_index.md"));
  const ingest = await sandbox.onData(["records", "ingest"]);
  expect(ingest.exitCode, ingest.stderr).toBe(1);
  expect(ingest.stdout).toContain(`companies/acme/_index.md is ${words}`);
  expect(ingest.stdout).toContain(`companies/new/_index.md is ${words}`);
  expect(await sandbox.good("company", "set", "acme", "city=Ulm")).toContain("city of acme");
  const status = await sandbox.onData(["records", "status"]);
  expect(status.exitCode).toBe(1);
  expect(status.stdout).toContain("1 company");
});

test("a command that waits for another process' turn with the records ends on SIGTERM", async () => {
  await sandbox.good("company", "add", "Acme");
  using turn = openLock("index/records.db-turn");
  turn.begin();
  using next = openLock("index/records.db-next");
  const ended = sandbox.onData(["records", "ingest"], {
    onStart: (kill) => void waitUntil(() => !next.isFree()).then(() => kill("SIGTERM")),
  });
  const { exitCode, stderr } = await ended;
  expect(stderr).toContain("stopping");
  expect(exitCode).toBe(143);
});

/** One of the two locks that processes take turns with. */
function openLock(name: string) {
  const db = new Database(sandbox.inData(name), { timeout: 0 });
  db.pragma("journal_mode = memory");
  const begin = () => db.exec("begin immediate");
  return {
    begin,
    isFree(): boolean {
      try {
        begin();
        db.exec("rollback");
        return true;
      } catch {
        return false;
      }
    },
    [Symbol.dispose]: () => void db.close(),
  };
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}
