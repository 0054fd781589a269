import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { createPaths } from "../../config/index.ts";
import { openCampaignFolder } from "./campaign-folder.ts";
import { openSharedConfigs } from "./shared-config.ts";
import { campaignTemplate } from "./template.ts";

const clock = createTestClock();

function createMachine(bucket: ReturnType<typeof createMemoryBucket>) {
  const folder = mkdtempSync(join(tmpdir(), "forager-shared-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = createPaths(folder);
  const shared = openSharedConfigs({ paths, bucket, clock, random: systemRandom });
  const save = async (phrase: string, baseRevision?: number) => {
    const change = () => campaignTemplate({ phrases: [phrase] });
    const config = await shared.change("austin", { change, baseRevision, by: "hand:anna" });
    await shared.take("austin", config);
    return config.revision;
  };
  const phrases = async () => (await openCampaignFolder(paths).load("austin")).phrases;
  return { shared, save, phrases, folder: openCampaignFolder(paths) };
}

test("what was saved replaces the file that it was made from, and no newer or other one", async () => {
  const bucket = createMemoryBucket({ clock });
  const anna = createMachine(bucket);
  await anna.save("roofer");
  const first = (await anna.shared.read("austin"))!;
  const textOf = async () => (await anna.shared.local("austin")).text;
  const edited = campaignTemplate({ phrases: ["tiler"] });
  const write = (text: string) => anna.folder.writeConfig("austin", text);
  await write(edited);
  const second = { ...first, text: `${edited}# more\n`, revision: 2 };
  await anna.shared.accept("austin", second, first.text);
  expect(await textOf()).toBe(edited);
  await anna.shared.accept("austin", second, edited);
  expect(await textOf()).toBe(second.text);
  // Late: another process of the folder has saved since.
  await anna.shared.accept("austin", first, first.text);
  await anna.shared.take("austin", first);
  expect(await textOf()).toBe(second.text);
});

test("a campaign that is removed and made again, by a machine that missed changes, reaches every node", async () => {
  const bucket = createMemoryBucket({ clock });
  const [anna, bert, node] = [createMachine(bucket), createMachine(bucket), createMachine(bucket)];
  expect(await bert.save("roofer")).toBe(1);
  expect(await anna.shared.fetch("austin", 1)).toBe(true);
  expect(await anna.save("tiler")).toBe(2);
  expect(await anna.save("painter")).toBe(3);
  expect(await node.shared.fetch("austin", 3)).toBe(true);
  expect(await node.phrases()).toEqual(["painter"]);

  await anna.shared.remove("austin", "hand:anna");
  await anna.shared.remove("austin", "hand:anna"); // repeated: nothing to do
  expect(await bert.shared.read("austin")).toBeUndefined();
  expect(await node.shared.fetch("austin", 4)).toBe(false);
  // To those who make it again there is none.
  const made = await bert.save("plumber", 0);
  expect(made).toBe(5);
  expect(await node.shared.fetch("austin", made)).toBe(true);
  expect(await node.phrases()).toEqual(["plumber"]);
});
