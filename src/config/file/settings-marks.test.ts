import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { loadSettings } from "../load-settings.ts";
import { changedKeys, createSettingsMarker } from "./settings-marks.ts";

function setUp(password: string) {
  const folder = mkdtempSync(join(tmpdir(), "forager-marks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("secret", "swordfish");
  write("forager.toml", `[queue]\npassword = ${password}\n`);
  const clock = createTestClock();
  const marker = createSettingsMarker(clock);
  const read = async (isAsked = false) =>
    marker.read(await loadSettings({ cwd: folder, env: {}, home: folder }), { isAsked });
  return { folder, write, clock, read };
}

test("a changed secret is seen, and is not in what is kept", async () => {
  const { write, read } = setUp('{ file = "secret" }');
  const before = await read();
  expect(changedKeys(before, await read())).toEqual([]);
  write("secret", "marlin");
  const after = await read();
  expect(changedKeys(before, after)).toEqual(["queue.password"]);
  expect(JSON.stringify([...before, ...after])).not.toMatch(/swordfish|marlin/);
  write("forager.toml", '[queue]\npassword = { command = "cat secret" }\nleaseMs = 7000\n');
  expect(changedKeys(after, await read())).toEqual(["queue.leaseMs"]);
});

test("a change that is not shown is seen all the same", async () => {
  const { write, read } = setUp('{ file = "secret" }');
  const settings = (word: string) =>
    write("forager.toml", `bucket.url = "s3://b?q=${word}"\nqueue.url = "s3://b/q?q=${word}"\n`);
  settings("one");
  const before = await read();
  settings("two");
  expect(changedKeys(before, await read())).toEqual(["queue.url", "bucket.url"]);
});

test("marks of two processes say nothing about each other's secrets", async () => {
  const { read, folder } = setUp('{ file = "secret" }');
  const other = createSettingsMarker(createTestClock());
  const theirs = await other.read(await loadSettings({ cwd: folder, env: {}, home: folder }), {
    isAsked: false,
  });
  expect(changedKeys(await read(), theirs)).toEqual(["queue.password"]);
});

test("a command is run once a minute at most, or when it is asked for", async () => {
  const { folder, write, read, clock } = setUp('{ command = "echo >> runs; cat secret" }');
  const runs = () => readFileSync(join(folder, "runs"), "utf8").length;
  const before = await read();
  write("secret", "marlin");
  expect(changedKeys(before, await read())).toEqual([]);
  expect(runs()).toBe(1);
  expect(changedKeys(before, await read(true))).toEqual(["queue.password"]);
  expect(runs()).toBe(2);
  write("secret", "barracuda");
  const between = await read();
  await clock.advance(60_000);
  expect(changedKeys(between, await read())).toEqual(["queue.password"]);
  expect(runs()).toBe(3);
});
