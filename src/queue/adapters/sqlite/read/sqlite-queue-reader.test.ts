import Database from "better-sqlite3";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../../base/clock.ts";
import { systemRandom } from "../../../../base/random.ts";
import { createQueue, type Queue } from "../../../index.ts";
import { openSqliteQueueReader } from "./sqlite-queue-reader.ts";
import { openSqliteQueueStore } from "../sqlite-queue-store.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-queue-reader-"));
  file = join(folder, "queue.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const asQueue = (store: ReturnType<typeof openSqliteQueueStore>): Queue =>
  createQueue({ store, clock: systemClock, random: systemRandom });
const openWriter = () => asQueue(openSqliteQueueStore({ file, durability: "normal" }));
const openReader = (at = file) => asQueue(openSqliteQueueReader({ file: at }));

/** Every file with its bytes, but for SQLite's shared memory, which holds locks of readers. */
const filesIn = (path: string) =>
  new Map(
    readdirSync(path)
      .sort()
      .map((name) => [name, name.endsWith("-shm") ? "" : readFileSync(join(path, name), "hex")]),
  );

const keysIn = async (queue: Queue) => (await queue.browse({})).map(({ key }) => key);
const task = (key: string) => ({ kind: "page", key, job: "j", gate: "g" });

test("a queue that no process has open is read without a change to its folder", async () => {
  {
    await using queue = openWriter();
    await queue.add([task("a"), task("b")]);
  }
  const before = filesIn(folder);
  {
    await using queue = openReader();
    expect(await keysIn(queue)).toEqual(["a", "b"]);
    expect((await queue.stats()).states.pending).toBe(2);
    expect((await queue.jobs()).map(({ name }) => name)).toEqual(["j"]);
    expect((await queue.gates()).map(({ name }) => name)).toEqual(["g"]);
    await expect(queue.add([task("c")])).rejects.toMatchObject({ code: "queue_reader" });
  }
  expect(filesIn(folder)).toEqual(before);
});

test("while another process has it open, it is read in place, in its current state", async () => {
  await using queue = openWriter();
  await queue.add([task("a")]);
  const names = readdirSync(folder);
  await using reader = openReader();
  expect(await keysIn(reader)).toEqual(["a"]);
  await queue.add([task("b")]);
  const before = filesIn(folder);
  expect(await keysIn(reader)).toEqual(["a", "b"]);
  expect((await reader.stats()).states.pending).toBe(2);
  await expect(reader.add([task("c")])).rejects.toMatchObject({ code: "queue_reader" });
  expect(filesIn(folder)).toEqual(before);
  expect(readdirSync(folder)).toEqual(names);
});

test.each([
  ["with", [] as readonly string[]],
  ["without", ["queue.db-shm"]],
])("what a killed process left is read, %s its shared memory", async (_, missing) => {
  await using queue = openWriter();
  await queue.add([task("a"), task("b")]);
  const left = join(folder, "left");
  mkdirSync(left);
  for (const name of readdirSync(folder)) {
    if (name === "left" || missing.includes(name)) continue;
    copyFileSync(join(folder, name), join(left, name));
  }
  const before = filesIn(left);
  {
    await using reader = openReader(join(left, "queue.db"));
    expect(await keysIn(reader)).toEqual(["a", "b"]);
  }
  expect(filesIn(left)).toEqual(before);
});

test("a file of another boot of the machine is read, and stays as it is", async () => {
  {
    await using queue = openWriter();
    await queue.add([task("a")]);
    await queue.claim({ worker: "w", kinds: ["page"], limit: 1 });
  }
  const db = new Database(file);
  db.prepare("update meta set value = 'earlier' where name = 'boot'").run();
  db.pragma("journal_mode = delete");
  db.close();
  const before = filesIn(folder);
  {
    await using reader = openReader();
    expect(await keysIn(reader)).toEqual(["a"]);
    expect((await reader.stats()).states.running).toBe(1);
  }
  expect(filesIn(folder)).toEqual(before);
});

test("what cannot be read is named, and not its temporary copy", async () => {
  writeFileSync(file, "this is not a queue, whatever its name says");
  const message = expect.stringContaining(`the queue ${file} is damaged or is not a queue`);
  expect(() => openReader()).toThrow(expect.objectContaining({ code: "queue_corrupt", message }));
  const other = new Database(join(folder, "other.db"));
  other.exec("create table x (y)");
  other.close();
  expect(() => openReader(join(folder, "other.db"))).toThrow(
    /other\.db is a SQLite file of another/u,
  );
});
