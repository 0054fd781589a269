import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { readVersion } from "../../base/version.ts";
import { openNodeIn } from "../node/open-node.ts";
import { openQueue } from "../queue/open-queue.ts";
import { openTestServe } from "./testing/open-test-serve.ts";

test("the screens of the dashboard get facets, points, throughput, report and coverage", async () => {
  const { client, paths } = await openTestServe();
  await using node = await openNodeIn({ kind: "command", paths, log: silentLogger, user: "test", version: readVersion() }); // prettier-ignore
  mkdirSync(paths.resolve("campaigns", "austin"), { recursive: true });
  writeFileSync(
    paths.resolve("campaigns", "austin", "config.toml"),
    `phrases = ["plumber", "Baker"]\nproximityKm = 10\n[[locations]]\nname = "Austin"\nlat = 30.27\nlon = -97.74\n`,
  );
  const create = (name: string, more: object) =>
    node.api.records.create({ source: "hand:test", fields: { name, ...more } });
  await create("Acme", { place: "osm/node/1", city: "Austin", latitude: 30.21, longitude: -97.71, "email/a@acme.test": true }); // prettier-ignore
  await create("Brook", { city: "Austin", "category/tiles": true });
  const facets = await client.get("/api/companies/facets");
  expect(facets).toMatchObject({ counted: 2, isComplete: true });
  expect(facets.facets.find(({ field }) => field === "city")?.values).toEqual([
    { value: "Austin", count: 2 },
  ]);
  const narrowed = await client.get("/api/companies/facets", { query: { category: ["tiles"] } });
  expect(narrowed.counted).toBe(1);
  expect(await client.get("/api/companies/points")).toEqual({
    rows: [["acme", "Acme", 30.21, -97.71, true]],
    isComplete: true,
    licences: [{ text: "© OpenStreetMap contributors", licence: "ODbL-1.0", url: "https://www.openstreetmap.org/copyright" }],
  }); // prettier-ignore
  const shown = await client.get("/api/companies/{name}", { params: { name: "acme" } });
  expect(shown.licences).toHaveLength(1);

  await using queue = await openQueue(`sqlite:${paths.resolve("queue.db")}`);
  await queue.add(["a", "b", "c"].map((key) => ({ kind: "page", key })));
  const { leases } = await queue.claim({ worker: "w", kinds: ["page"], limit: 2 });
  const outcomes = [{ kind: "done" }, { kind: "fail", reason: "gone" }] as const;
  await queue.finish(leases.map(({ id, token }, at) => ({ id, token, outcome: outcomes[at]! })));
  const { done, failed, times, left } = await client.get("/api/queue/throughput");
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  expect([sum(done), sum(failed), left, times.length]).toEqual([1, 1, 1, 60]);

  const params = { campaign: "austin" };
  const report = await client.get("/api/campaigns/{campaign}/report", { params });
  expect(report).toMatchObject({ campaign: "austin", tiles: { never: report.tiles.planned } });
  const { rows } = await client.get("/api/campaigns/{campaign}/coverage", { params });
  expect(rows).toHaveLength(report.tiles.planned);
  expect(rows).toContainEqual([302, -978, 4, 0, null, null]);
  const query = { phrase: "baker" };
  const baker = await client.get("/api/campaigns/{campaign}/coverage", { params, query });
  expect(baker.rows).toHaveLength(rows.length);
  const other = await client.get("/api/campaigns/{campaign}/coverage", { params, query: { phrase: "x" } }); // prettier-ignore
  expect(other.rows).toEqual([]);
});
