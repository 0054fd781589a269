import { expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue } from "../../queue/index.ts";
import { createSiteSettings } from "./site-settings.ts";

function setUp() {
  const clock = createTestClock();
  const metrics = createMetrics();
  const random = createSeededRandom(1);
  const queue = createQueue({ store: createMemoryQueueStore({ clock }), clock, random });
  let asked = 0;
  const gate = (name: string) => ((asked += 1), queue.gate(name));
  const sites = createSiteSettings({ queue: { ...queue, gate }, clock, metrics });
  const series = () =>
    Object.fromEntries(
      metrics
        .snapshot()
        .flatMap(({ name, series: all }) =>
          all.map(({ values, value }) => [[name, ...values].join(" "), value]),
        ),
    );
  return { queue, clock, sites, series, asked: () => asked };
}

test("D7: the settings of a host are asked for once in a while, with hits, misses and size as metrics", async () => {
  const { queue, clock, sites, series, asked } = setUp();
  await queue.setGate("a.example", { delayMs: 500, limit: 2 });
  const both = await Promise.all([sites.get("a.example"), sites.get("a.example")]);
  expect(both).toEqual([
    { delayMs: 500, limit: 2 },
    { delayMs: 500, limit: 2 },
  ]);
  await sites.get("a.example");
  expect(asked()).toBe(1);
  expect(series()).toMatchObject({
    "forager_cache_requests_total site_settings hit": 1,
    "forager_cache_requests_total site_settings miss": 2,
    "forager_cache_entries site_settings": 1,
  });
  await clock.advance(30_001);
  await sites.get("a.example");
  expect(asked()).toBe(2);
  expect(series()).toMatchObject({
    "forager_cache_invalidations_total site_settings expired": 1,
    "forager_cache_requests_total site_settings miss": 3,
  });
});

test("a change by this process is known at once; one by another when a claim shows it", async () => {
  const { queue, sites, series, asked } = setUp();
  await sites.set("a.example", { delayMs: 700 });
  expect(await sites.get("a.example")).toEqual({ delayMs: 700, limit: 1 });
  expect(asked()).toBe(0);
  await queue.setGate("a.example", { delayMs: 100 });
  sites.forget("a.example");
  expect(await sites.get("a.example")).toEqual({ delayMs: 100, limit: 1 });
  expect(series()).toMatchObject({
    "forager_cache_invalidations_total site_settings outdated": 1,
  });
});

test("a host that is not known yet is asked for again", async () => {
  const { queue, sites } = setUp();
  expect(await sites.get("a.example")).toBeUndefined();
  await queue.setGate("a.example", { delayMs: 100 });
  expect(await sites.get("a.example")).toMatchObject({ delayMs: 100 });
});
