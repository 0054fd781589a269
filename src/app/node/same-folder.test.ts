import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPaths } from "../../config/index.ts";
import { rememberFolder } from "./same-folder.ts";

let root = "";
const data = () => join(root, "data");
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "forager-same-"));
  makeFolder("node-1");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function makeFolder(node: string) {
  mkdirSync(join(data(), "ledger"), { recursive: true });
  writeFileSync(join(data(), "ledger", "node.json"), JSON.stringify({ node }));
}
const remembered = () => {
  const folder = rememberFolder(createPaths(data()));
  folder.remember();
  return folder;
};

test("the folder is the same until it is deleted, moved away, or replaced by that of another node", async () => {
  const folder = remembered();
  expect(await folder.isSame()).toBe(true);
  renameSync(data(), join(root, "elsewhere"));
  expect(await folder.isSame()).toBe(false);
  makeFolder("node-2");
  expect(await folder.isSame()).toBe(false);
  rmSync(data(), { recursive: true });
  renameSync(join(root, "elsewhere"), data());
  expect(await folder.isSame()).toBe(true);
});

test("a file system that renumbers its folders does not stop a process: the node's id decides", async () => {
  const folder = remembered();
  await folder.isSame(); // the remembered values have been read
  renameSync(data(), join(root, "elsewhere"));
  makeFolder("node-1");
  expect(await folder.isSame()).toBe(true);
});
