import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCheckCache } from "../../scripts/checks/check-cache.ts";

let folder = "";
let file = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forager-cache-"));
  file = join(folder, "deep", "checks.json");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test("finds what passed with the same signature, also after it was opened again", async () => {
  const cache = await openCheckCache(file);
  cache.set("types", { signature: "s1", passed: 1 });
  cache.set("a.test.ts", { signature: "s2", passed: 7 });
  await cache.save();
  const again = await openCheckCache(file);
  expect(again.find("a.test.ts", "s2")).toBe(7);
  expect(again.find("types", "s1")).toBe(1);
});

test("does not find another signature, another name, or what was forgotten", async () => {
  const cache = await openCheckCache(file);
  cache.set("a", { signature: "s", passed: 1 });
  expect(cache.find("a", "t")).toBeUndefined();
  expect(cache.find("b", "s")).toBeUndefined();
  cache.forget("a");
  expect(cache.find("a", "s")).toBeUndefined();
});

test.for(["", "{", "[]", "null", '{"version":1}', '{"version":1,"checks":{"a":3}}'])(
  "a damaged file (%s) is an empty cache that can be saved",
  async (content) => {
    const damaged = join(folder, "checks.json");
    await writeFile(damaged, content);
    const cache = await openCheckCache(damaged);
    expect(cache.find("a", "s")).toBeUndefined();
    cache.set("a", { signature: "s", passed: 2 });
    await cache.save();
    expect((await openCheckCache(damaged)).find("a", "s")).toBe(2);
  },
);

test("an older version is not believed", async () => {
  const old = { version: 0, checks: { a: { signature: "s", passed: 1 } } };
  await writeFile(join(folder, "checks.json"), JSON.stringify(old));
  expect((await openCheckCache(join(folder, "checks.json"))).find("a", "s")).toBeUndefined();
});

test("saving leaves the file and nothing beside it", async () => {
  const cache = await openCheckCache(file);
  await cache.save();
  await cache.save();
  expect(await readdir(join(folder, "deep"))).toEqual(["checks.json"]);
});
