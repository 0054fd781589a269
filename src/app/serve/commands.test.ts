import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeAnswer } from "./api-fleet.ts";
import { openTestServe } from "./testing/open-test-serve.ts";

const timeout = 180_000;

test("a command is desired state with each node's answer, reaches report.json, and can be undone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-commands-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { FORAGER_BUCKET_URL: `dir:${join(folder, "bucket")}` };
  const { client, paths } = await openTestServe({ env });
  const campaign = paths.resolve("campaigns", "austin");
  mkdirSync(campaign, { recursive: true });
  writeFileSync(
    join(campaign, "config.toml"),
    `phrases = ["plumber"]\nproximityKm = 10\n[[locations]]\nname = "Austin"\nlat = 30.27\nlon = -97.74\n`,
  );
  const planned = async () => {
    const input = { params: { campaign: "austin" }, query: { fresh: true } };
    const { tiles } = await client.get("/api/campaigns/{campaign}/report", input);
    const kept = JSON.parse(readFileSync(join(campaign, "report.json"), "utf8")) as { tiles: typeof tiles }; // prettier-ignore
    expect(kept.tiles).toEqual(tiles);
    return tiles.planned;
  };
  const before = await planned();
  const given = await client.send("POST", "/api/fleet/commands", {
    body: { node: "all", what: ["campaign.austin.proximityKm=30"] },
  });
  expect(given).toMatchObject({ scope: "all", what: ["campaign.austin.proximityKm=30"] });
  const params = { revision: given.revision };
  const shown = () => client.get("/api/fleet/commands/{revision}", { params });
  await expect.poll(shown, { timeout }).toMatchObject({
    state: "settled",
    nodes: [{ status: "followed", afterMs: expect.any(Number) as number }],
  });
  await expect.poll(planned, { timeout }).toBeGreaterThan(before);

  const undone = await client.send("POST", "/api/fleet/commands/{revision}/undo", { params });
  expect(undone.what).toEqual(["campaign.austin.proximityKm=default"]);
  await expect.poll(planned, { timeout }).toBe(before);
  const { rows } = await client.get("/api/fleet/commands");
  expect(rows.map(({ revision }) => revision)).toEqual([undone.revision, given.revision]);
  await expect(
    client.send("POST", "/api/fleet/commands", { body: { node: "all", what: ["dance"] } }),
  ).rejects.toMatchObject({ problem: { status: 400 } });
}, 120_000);

test("a node that failed and applied the command when it tried again has followed it", () => {
  const command = { revision: 5, atMs: 1_000, isTimed: true };
  const followed = { revision: 5, atMs: 2_000, isApplied: false, what: "no space left" };
  expect(nodeAnswer(undefined, { ...followed, revision: 4 }, command)).toBeUndefined();
  const failed = nodeAnswer(undefined, followed, command);
  expect(failed).toEqual({ afterMs: 1_000, isApplied: false, what: "no space left" });
  const again = { revision: 5, atMs: 62_000, isApplied: true, what: "paused" };
  const after = nodeAnswer(failed, again, command);
  expect(after).toEqual({ afterMs: 61_000, isApplied: true, what: "paused" });
  // A later command says nothing about the time of this one.
  expect(nodeAnswer(after, { ...again, revision: 6, atMs: 99_000 }, command)).toBe(after);
});
