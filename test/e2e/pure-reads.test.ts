// needs: otheruser
// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
/**
 * Commands that only read: they need no right to write, and leave the data folder as it is, byte
 * for byte. Root may write everywhere, so they run as another user.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { ownerPid, startNodeWriter } from "../support/node-writers.ts";
import { needs } from "../support/services.ts";
import { targetOfKey } from "../../src/records/testing/company-targets.ts";

const reads = [
  "company show acme",
  "company search acme",
  "company list",
  "company history acme",
  "company duplicates",
  "company to-call",
  "person list",
  "person history anna",
  "records check",
  "status",
  `ledger show ${targetOfKey("acme.example")}`,
  "ledger log",
  "ledger status",
  "ledger conflicts",
  "ledger verify",
  "queue stats",
  "queue list",
  "queue show 1",
  "queue jobs",
  "queue job j",
  "queue gates",
  "queue log",
  "queue failures",
  "campaign list",
  "suppress list",
  "schedule list",
  "export companies --quiet",
];

/** Type, mode, time of change and content of everything in a folder. */
function snapshot(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  return new Map(
    ["", ...names].map((name) => {
      const path = join(folder, name);
      const { mode, mtimeMs, ctimeMs } = lstatSync(path);
      const content = statSync(path).isFile() ? readFileSync(path, "base64") : "folder";
      return [name, `${mode.toString(8)} ${mtimeMs} ${ctimeMs} ${content}`];
    }),
  );
}

const changedIn = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );

/** A data folder of root with a company, a person and a task. */
async function setUp(): Promise<{ readonly sandbox: Sandbox; readonly data: string }> {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const data = join(sandbox.folder, "data");
  for (const line of [
    "company add Acme --domain acme.example",
    "person add Anna --company acme",
    "queue add page {} --job j --gate acme.example",
  ]) {
    const { exitCode, stderr } = await sandbox.forager([...line.split(" "), "--data", data]);
    expect(exitCode, stderr).toBe(0);
  }
  for (const folder of [dirname(sandbox.folder), sandbox.folder]) chmodSync(folder, 0o755);
  chmodSync(join(dirname(sandbox.folder), "home"), 0o777);
  return { sandbox, data };
}

/** Everybody may read, nobody may write. */
const makeReadOnly = (data: string) => {
  expect(spawnSync("chmod", ["-R", "a=rX", data]).status).toBe(0);
  expect(statSync(data).mode & 0o777).toBe(0o555);
};

needs(["otheruser"], ({ otheruser: { uid } }) => {
  const readAll = async (sandbox: Sandbox, data: string) => {
    const notes = new Map<string, string>();
    for (const line of reads) {
      const { exitCode, stdout, stderr } = await sandbox.forager(
        [...line.split(" "), "--data", data],
        { uid },
      );
      // A task waits and no node works: `status` exits 3 to say that, and has read the queue.
      expect.soft(exitCode, `${line}: ${stderr}`).toBe(line === "status" ? 3 : 0);
      if (line === "status") expect(stdout).toContain("1 task could run, but no node is working");
      expect(stderr, line).not.toMatch(/cannot be (?:read|written)|EACCES|SQLITE/u);
      if (line.includes("show acme")) expect(stdout).toContain("Acme");
      if (stderr !== "") notes.set(line, stderr);
    }
    return notes;
  };

  test("on a folder of mode 0555 of another user they answer, and change no byte", async () => {
    const { sandbox, data } = await setUp();
    makeReadOnly(data);
    const before = snapshot(data);
    const notes = await readAll(sandbox, data);
    expect(changedIn(before, snapshot(data))).toEqual([]);
    expect(Object.fromEntries(notes)).toEqual({});
    expect([...before.keys()].filter((name) => /-wal$|-shm$|owner\.json$/u.test(name))).toEqual([]);
    // A copy in another place, with other times, is read without a note that it is out of date.
    const copy = join(sandbox.folder, "copy");
    expect(spawnSync("cp", ["-r", data, copy]).status).toBe(0);
    const list = await sandbox.forager(["company", "list", "--data", copy], { uid });
    expect(list).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("after kill -9 of the owner they read a temporary copy, say so, and change no byte", async () => {
    const { sandbox, data } = await setUp();
    const owner = await startNodeWriter({ folder: data, name: "killed", fields: 5 });
    await owner.done;
    const set = ["company", "set", "acme", "city=Bonn", "--data", data];
    expect((await sandbox.forager(set)).exitCode).toBe(0);
    expect(ownerPid(data)).toBe(owner.child.pid);
    await owner.kill();
    makeReadOnly(data);
    const before = snapshot(data);
    expect([...before.keys()]).toContain("index/records.db-wal");
    const notes = await readAll(sandbox, data);
    expect(changedIn(before, snapshot(data))).toEqual([]);
    expect(notes.get("company list")).toContain("a temporary copy of the index is used");
    expect(notes.get(`ledger show ${targetOfKey("acme.example")}`)).toContain(
      "reading a temporary copy of the ledger's state",
    );
    const list = await sandbox.forager(["company", "list", "--data", data], { uid });
    expect(list.stdout).toContain("Bonn");
    // Nothing of the copies is left.
    const left = readdirSync("/tmp").filter((name) => name.startsWith("forager-read-"));
    expect(left.filter((name) => statSync(join("/tmp", name)).uid === uid)).toEqual([]);
  });

  test("with an owner they ask it, and never become one", async () => {
    const { sandbox, data } = await setUp();
    const owner = await startNodeWriter({ folder: data, name: "owner", fields: 5 });
    await owner.done;
    const set = ["company", "set", "acme", "city=Bonn", "--data", data];
    expect((await sandbox.forager(set)).exitCode).toBe(0);
    // The index is in WAL mode now: whoever read its file would read a copy, and say so.
    for (const line of ["company list", "company show acme", "company search bonn"]) {
      const shown = await sandbox.forager([...line.split(" "), "--data", data]);
      expect([shown.exitCode, shown.stderr]).toEqual([0, ""]);
      expect(shown.stdout).toContain("Bonn");
    }
    expect(ownerPid(data)).toBe(owner.child.pid);
  });
});
