import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  device,
  linkTo,
  namedPipe,
  socket,
  type SpecialFile,
} from "../base/testing/special-files.ts";
import { createPaths } from "../config/index.ts";
import { openCampaignFolder } from "./config/campaign-folder.ts";
import { openBatchFiles } from "./enrich/batch-file.ts";
import { openCrawlFolder } from "../site-crawl/index.ts";

const specials: readonly (readonly [string, SpecialFile])[] = [
  ["a named pipe", namedPipe],
  ["a socket", socket],
  ["a device", device],
  ["a link to a file", linkTo("other")],
];

type Read = (paths: ReturnType<typeof createPaths>) => Promise<unknown>;

const files: readonly (readonly [string, Read])[] = [
  ["campaigns/austin/config.toml", (paths) => openCampaignFolder(paths).load("austin")],
  ["batches/may.jsonl", (paths) => openBatchFiles(paths).read("may")],
  ["crawls/acme.com/crawl.json", (paths) => openCrawlFolder(paths).load("acme.com")],
  ["crawls/acme.com/pages.jsonl", (paths) => openCrawlFolder(paths).rows("acme.com")],
  ["crawls/acme.com/pages.jsonl", (paths) => openCrawlFolder(paths).openRows("acme.com")],
];

describe.each(files)("%s", (file, read) => {
  test.each(specials)("that is %s is named at once, and not read", async (_, special) => {
    const folder = mkdtempSync(join(tmpdir(), "data-files-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(join(dirname(path), "other"), "not to be read");
    await using _made = await special.make(path);
    await expect(read(createPaths(folder))).rejects.toThrow(`${path} is ${special.words}`);
  });
});

test("a campaign whose config is a link is listed, and not written over", async () => {
  const folder = mkdtempSync(join(tmpdir(), "data-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "campaigns/austin"), { recursive: true });
  await linkTo("nowhere").make(join(folder, "campaigns/austin/config.toml"));
  const campaigns = openCampaignFolder(createPaths(folder));
  expect(await campaigns.list()).toEqual(["austin"]);
  await expect(campaigns.create("austin")).rejects.toMatchObject({ code: "campaign_exists" });
});
