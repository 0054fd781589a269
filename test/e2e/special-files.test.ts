// inputs: src/**
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { device, linkTo, namedPipe, socket } from "../../src/base/testing/special-files.ts";
import { allowingForLoad } from "../../src/base/testing/busy-machine.ts";
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
  const status = await sandbox.onData(["records", "check"]);
  expect(status.exitCode).toBe(3);
  expect(status.stdout).toContain("1 company");
});

test("named pipes in place of the node's own files: no command waits for them", async () => {
  await sandbox.good("company", "add", "Acme");
  await sandbox.good("queue", "add", "visit", "{}");
  const pipe = async (path: string) => {
    const file = sandbox.inData(path);
    rmSync(file, { force: true });
    mkdirSync(dirname(file), { recursive: true });
    return namedPipe.make(file);
  };
  // What is only a note: without it a command does its work.
  for (const path of ["node/owner.json", "nodes/x-1.json", "logs/1.jsonl", "fleet/wanted.json"]) {
    await pipe(path);
  }
  expect(await sandbox.good("company", "set", "acme", "city=Ulm")).toContain("city of acme");
  expect((await sandbox.onData(["status"])).stdout).toContain("1 task could run");
  await sandbox.good("logs");
  // What it cannot do without is named.
  for (const [path, command] of [
    ["queue.db-id", ["queue", "list"]],
    ["ledger/node.json", ["company", "set", "acme", "city=Bonn"]],
  ] as const) {
    await using _pipe = await pipe(path);
    const { exitCode, stderr } = await sandbox.onData(command);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${path} is a named pipe`)]);
  }
});

test("a command that waits for the owner of the data folder ends on SIGTERM", async () => {
  await sandbox.good("company", "add", "Acme");
  // An owner that holds the lock, and accepts connections without a word.
  const lock = new Database(sandbox.inData("node/owner.db"), { timeout: 0 });
  onTestFinished(() => void lock.close());
  lock.exec("begin exclusive");
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const address = { format: 1, port, token: "0".repeat(64), pid: process.pid };
  writeFileSync(sandbox.inData("node/owner.json"), JSON.stringify(address));
  let stoppedAtMs = 0;
  const ended = sandbox.onData(["records", "ingest"], {
    onStart: (kill) =>
      void once(server, "connection").then(() => {
        stoppedAtMs = performance.now();
        kill("SIGTERM");
      }),
  });
  const { exitCode, stderr } = await ended;
  // Well before it would give up by itself.
  expect(performance.now() - stoppedAtMs).toBeLessThan(allowingForLoad(10_000));
  expect(stderr).toContain("stopping");
  expect(exitCode).toBe(143);
});
