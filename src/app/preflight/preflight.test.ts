import { expect, test } from "vitest";
import { createTempFolder } from "../../config/testing/temp-folder.ts";
import { createPaths, loadSettings } from "../../config/index.ts";
import { preflight } from "./preflight.ts";

const look = async (
  env: Readonly<Record<string, string>>,
  campaigns?: Parameters<typeof preflight>[0]["campaigns"],
) => {
  const folder = createTempFolder({});
  const loaded = await loadSettings({ cwd: folder, home: folder, env });
  const found = await preflight({ loaded, paths: createPaths(`${folder}/data`), campaigns });
  return found.map(({ check, state }) => `${check} ${state}`);
};
const campaign = (name: string, contact?: string) => ({
  name,
  politeness: { delayMs: 1_000, concurrency: 1, contact },
});

test("visits need a contact, from the settings or from every campaign that has some", async () => {
  expect(await look({})).toEqual(["contact fail"]);
  expect(await look({ FORAGER_CRAWL_CONTACT: "me@example.org" })).toEqual([]);
  expect(await look({}, [])).toEqual([]);
  expect(await look({}, [campaign("a", "me@example.org")])).toEqual([]);
  expect(await look({}, [campaign("a", "me@example.org"), campaign("b")])).toEqual([
    "contact fail",
  ]);
});

test("a bucket with a queue that no other node sees is a warning", async () => {
  const contact = { FORAGER_CRAWL_CONTACT: "me@example.org", FORAGER_BUCKET_URL: "dir:b" };
  expect(await look(contact)).toEqual([]);
  expect(await look({ ...contact, FORAGER_QUEUE_URL: "sqlite:queue.db" })).toEqual(["queue warn"]);
});
