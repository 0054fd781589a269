import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createPaths } from "../../config/index.ts";
import type { RobotsNote } from "../../crawl/index.ts";
import { startSiteServer } from "../../crawl/testing/site-server.ts";
import { createFolderRobotsCache } from "./folder-robots-cache.ts";
import { openEnrichBench } from "../testing/enrich-bench.ts";
import { withContact } from "../testing/floor-site.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-robots-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => createFolderRobotsCache({ paths: createPaths(folder), clock: systemClock });
const note: RobotsNote = {
  state: "read",
  robots: { rules: [{ allow: false, pattern: "/x" }], crawlDelayMs: 5_000, sitemaps: ["/s.xml"] },
  atMs: 7,
};

test("another process of the folder knows the answer that one got", async () => {
  await open().put("https://a.example", note);
  await open().put("https://b.example", { ...note, state: "absent" });
  const other = open();
  expect(await other.get("https://a.example")).toEqual(note);
  expect((await other.get("https://b.example"))?.state).toBe("absent");
  expect(await other.get("https://c.example")).toBeUndefined();
});

test("a file that is not ours is as good as none, and is replaced", async () => {
  await open().put("https://a.example", note);
  const [file = ""] = readdirSync(join(folder, "robots"));
  for (const text of ["", "{", '{"https://a.example":{"state":"read","robots":{"rules":1}}}']) {
    writeFileSync(join(folder, "robots", file), text);
    expect(await open().get("https://a.example")).toBeUndefined();
  }
  await open().put("https://a.example", note);
  expect(await open().get("https://a.example")).toEqual(note);
});

test("a folder keeps no note of great length, though the process does", async () => {
  const rules = Array.from({ length: 2_000 }, (_, at) => ({
    allow: false,
    pattern: `/page-${at}`,
  }));
  const cache = open();
  await cache.put("https://a.example", { ...note, robots: { ...note.robots, rules } });
  expect((await cache.get("https://a.example"))?.robots.rules).toHaveLength(2_000);
  expect(await open().get("https://a.example")).toBeUndefined();
});

test("a restarted worker requests no robots.txt again", async () => {
  await using bench = await openEnrichBench();
  await using site = await startSiteServer({ pages: withContact });
  for (const path of ["", "other"]) {
    await bench.plant(`http://acme-floors.com:${site.port}/${path}`);
    await bench.work();
  }
  expect(site.requests.filter(({ path }) => path === "/robots.txt")).toHaveLength(1);
});
