import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTestServe } from "./testing/open-test-serve.ts";

const config = (proximityKm: number) =>
  `phrases = ["plumber"]\nproximityKm = ${proximityKm}\n[[locations]]\nname = "Austin"\nlat = 30.27\nlon = -97.74\n`;

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-configs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bucket = join(folder, "bucket");
  const { client, paths } = await openTestServe({ env: { FORAGER_BUCKET_URL: `dir:${bucket}` } });
  mkdirSync(paths.resolve("campaigns", "austin"), { recursive: true });
  writeFileSync(paths.resolve("campaigns", "austin", "config.toml"), config(10));
  const params = { campaign: "austin" };
  return {
    read: async () => (await client.get("/api/campaigns/{campaign}/config", { params })).text,
    save: (text: string, base: string) =>
      client.send("PUT", "/api/campaigns/{campaign}/config", { params, body: { text, base } }),
    remove: () =>
      client.send("POST", "/api/campaigns/{campaign}/remove", {
        params,
        body: { confirm: "austin" },
      }),
    object: join(bucket, "campaigns", "configs", "austin.json"),
    folder: paths.resolve("campaigns", "austin"),
  };
}

test("of two who edit a campaign at once, the second gets 409 with the other's change, and loses nothing", async () => {
  const { read, save } = await setUp();
  const base = await read();
  expect(await save(config(20), base)).toMatchObject({ isSaved: true });
  const late = save(config(30), base);
  await expect(late).rejects.toMatchObject({
    problem: {
      status: 409,
      code: "campaign_config_changed",
      detail: expect.stringContaining("- proximityKm = 10\n+ proximityKm = 20") as string,
    },
  });
  expect(await read()).toBe(config(20));
  expect(await save(config(30), await read())).toMatchObject({ isSaved: true });
});

test("a campaign that is removed is marked so in the bucket; made again, its revisions go on", async () => {
  const { read, save, remove, object, folder } = await setUp();
  await save(config(20), await read());
  const revisionNow = () => Number(/"revision":(\d+)/.exec(readFileSync(object, "utf8"))?.[1]);
  const before = revisionNow();
  await remove();
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(object, "utf8")).toContain('"isRemoved":true');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), config(40));
  await save(config(50), await read());
  expect(revisionNow()).toBeGreaterThan(before);
});
