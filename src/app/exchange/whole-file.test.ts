import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openWholeFile } from "./whole-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-whole-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("takes its name when it is whole, and only its user can read it", async () => {
  const path = join(folder, "out.csv");
  writeFileSync(path, "old");
  const file = openWholeFile(path);
  await file.write("new");
  expect(readFileSync(path, "utf8")).toBe("old");
  await file.commit();
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["out.csv"]);
});

test("leaves nothing when it is discarded", async () => {
  const path = join(folder, "out.csv");
  const discarded = openWholeFile(path);
  await discarded.write("half");
  await discarded.discard();
  expect(readdirSync(folder)).toEqual([]);
});

test("a pipe, a device behind a link and a folder are refused, and stay what they are", () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const link = join(folder, "link");
  symlinkSync("/dev/null", link);
  const inner = join(folder, "inner");
  mkdirSync(inner);
  for (const path of [pipe, link, inner]) {
    expect(() => openWholeFile(path)).toThrow(/is (?:a folder|not a regular file): name a file/);
  }
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(readdirSync(folder).toSorted()).toEqual(["inner", "link", "pipe"]);
});
