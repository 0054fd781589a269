import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTestServe, sendAs, signIn } from "./testing/open-test-serve.ts";

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

test("a campaign that is removed is marked so in the bucket; made again, its revisions continue", async () => {
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

test("a configuration is saved and removed in the name of the user who asks, not of the server's", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-configs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bucket = join(folder, "bucket");
  mkdirSync(bucket);
  const { origin } = await openTestServe({
    users: { ed: "editor" },
    env: { FORAGER_BUCKET_URL: `dir:${bucket}` },
  });
  const ed = sendAs(origin, (await signIn(origin, "ed")).cookie);
  const shared = () => readFileSync(join(bucket, "campaigns", "configs", "austin.json"), "utf8");
  expect((await ed("POST", "/api/campaigns", { campaign: "austin" })).status).toBe(201);
  expect((await ed("PUT", "/api/campaigns/austin/config", { text: config(20) })).status).toBe(200);
  expect(shared()).toMatch(/"by":\s*"hand:ed"/);
  await ed("POST", "/api/campaigns/austin/remove", { confirm: "austin" });
  expect(shared()).toContain('"isRemoved":true');
  expect(shared().match(/"by":\s*"([^"]*)"/g)).toEqual(['"by":"hand:ed"']);
});
