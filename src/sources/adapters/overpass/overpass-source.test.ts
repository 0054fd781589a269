// inputs: src/sources/** src/crawl/** src/bucket/** src/base/**
import { afterEach, describe, expect, test } from "vitest";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { silentLogger, type LogFields } from "../../../base/log/logger.ts";
import { createTestClock } from "../../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { createHttpFetcher } from "../../../crawl/adapters/http/http-fetcher.ts";
import { createDailyBudget } from "../../daily-budget.ts";
import { parseTileId } from "../../grid.ts";
import type { Place } from "../../place.ts";
import { createSnapshotStore } from "../../snapshots/snapshot-store.ts";
import { busyForMs } from "../../source-busy.ts";
import { placeSourceSuite } from "../../testing/place-source-suite.ts";
import { createOverpassClient } from "./overpass-client.ts";
import { createOverpassSource, overpassKey } from "./overpass-source.ts";
import { startFakeOverpass, type FakeElement, type FakeOverpass } from "./testing/fake-overpass.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

const tile = parseTileId("48.1_11.5")!;
const idOf = (id: string) =>
  `osm/node/${Array.from(id).reduce((sum, char) => sum * 1_000 + char.charCodeAt(0), 0)}`;

const shop = (id: number, lat: number, lon: number, tags = {}): FakeElement => ({
  type: "node",
  id,
  lat,
  lon,
  tags: { name: `Shop ${id}`, shop: "bakery", ...tags },
});

const element = (place: Place): FakeElement => ({
  type: "node",
  id: Number(place.id.split("/")[2]),
  lat: place.latitude!,
  lon: place.longitude!,
  tags: {
    shop: "yes",
    name: place.name,
    ...(place.phones && { phone: place.phones.join(";") }),
    ...(place.categories && { category: place.categories.join(";") }),
    ...(place.website !== undefined && { website: place.website }),
    ...(place.city !== undefined && { "addr:city": place.city }),
  },
});

interface Setup {
  readonly bucket?: ReturnType<typeof createMemoryBucket>;
  readonly userAgent?: string;
  readonly requestsMax?: number;
  readonly bytesMax?: number;
  readonly delayMs?: number;
  readonly clock?: Clock;
}

async function open(elements: readonly FakeElement[], setup: Setup = {}) {
  const server = await startFakeOverpass(elements);
  opened.push(server);
  return { server, ...connect(server, setup) };
}

function connect(server: FakeOverpass, setup: Setup) {
  const { clock = systemClock, userAgent = "forager/1 (+mailto:me@example.org)" } = setup;
  const bucket = setup.bucket ?? createMemoryBucket({ clock });
  const fetcher = createHttpFetcher({ userAgent, allowPrivateNetworks: ["127.0.0.1"], clock });
  opened.push(fetcher);
  const { url } = server;
  const budget = createDailyBudget({
    bucket,
    prefix: `places/${overpassKey(url)}/usage/`,
    name: "the fake",
    requestsMax: setup.requestsMax ?? 1_000,
    bytesMax: setup.bytesMax ?? 10 ** 9,
    clock,
  });
  const delayMs = setup.delayMs ?? 0;
  const remarks: unknown[] = [];
  const log = { ...silentLogger, info: (_: string, fields?: LogFields) => void remarks.push(fields) }; // prettier-ignore
  const client = createOverpassClient({ url, fetcher, budget, delayMs, maxDataAgeDays: 14, clock, log }); // prettier-ignore
  const store = createSnapshotStore(bucket);
  const source = createOverpassSource({ url, client, store, gate: { delayMs }, snapshotDays: 30, clock }); // prettier-ignore
  return { source, bucket, budget, store, remarks };
}

const servers = new Map<string, FakeOverpass>();
afterEach(() => servers.clear());

placeSourceSuite({
  name: "Overpass over HTTP",
  // The same places are the same server: it is known by its address.
  open: async (places) => {
    const text = JSON.stringify(places);
    const known = servers.get(text) ?? (await open(places.map(element))).server;
    servers.set(text, known);
    return connect(known, {}).source;
  },
  openBroken: async (places) => {
    const { server, source } = await open(places.map(element));
    server.always = "cut";
    return source;
  },
  idOf,
});

/** What asking for the tile ends with. */
async function failureOf(made: Awaited<ReturnType<typeof open>>) {
  const error = await made.source.area!(tile).then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { readonly code: string; readonly kind: string },
  );
  const keys = (await made.bucket.list("places/")).map(({ key }) => key);
  expect(keys.filter((key) => !key.includes("/usage/"))).toEqual([]); // no snapshot of a failure
  return {
    code: error?.code,
    kind: error?.kind,
    message: error?.message,
    waitMs: busyForMs(error),
  };
}

describe("a tile", () => {
  test("is nodes, ways and relations by their centre, without what is closed or lies elsewhere", async () => {
    const { source } = await open([
      shop(1, 48.15, 11.55),
      { type: "way", id: 2, center: { lat: 48.16, lon: 11.56 }, tags: { name: "W", office: "it" } },
      { type: "relation", id: 3, center: { lat: 48.17, lon: 11.57 }, tags: { craft: "roofer", operator: "R" } },
      { type: "node", id: 4, lat: 48.15, lon: 11.55, tags: { name: "Old", amenity: "cafe", opening_hours: "closed" } },
      { type: "node", id: 5, lat: 48.15, lon: 11.55, tags: { name: "Tree", natural: "tree" } },
      shop(6, 48.2, 11.55),
    ]); // prettier-ignore
    const { places, outside, dataTime, release } = await source.area!(tile);
    expect(places.map(({ id }) => id)).toEqual(["osm/node/1", "osm/relation/3", "osm/way/2"]);
    expect(outside).toBe(1);
    expect(dataTime).toMatch(/^\d{4}-/);
    expect(release).toMatch(/^\d{8}T\d{6}Z$/);
    expect(source.attribution).toMatchObject({ licence: "ODbL-1.0" });
    expect(source.gate).toMatchObject({ limit: 1 });
  });

  test("is asked for once, by whichever node; the snapshot answers afterwards", async () => {
    const { server, source, bucket } = await open([shop(1, 48.15, 11.55)]);
    const first = await source.area!(tile);
    server.always = "429";
    const again = await source.area!(tile);
    expect(again).toEqual(first);
    const other = connect(server, { bucket });
    expect(await other.source.area!(tile)).toEqual(first);
    expect(server.requests).toHaveLength(1);
    expect([...(await other.store.newestTimes(source.key)).keys()]).toEqual([tile.id]);
  });

  test("that is too much is asked for in quarters, and every place comes once", async () => {
    const elements = Array.from({ length: 40 }, (_, at) =>
      shop(at + 1, 48.1 + (at % 8) / 80, 11.5 + Math.floor(at / 8) / 60),
    );
    const { server, source, bucket } = await open(elements);
    server.elementsMax = 12;
    const { places } = await source.area!(tile);
    expect(places).toHaveLength(40);
    expect(server.requests.length).toBeGreaterThan(4);
    expect(server.atOnceMax).toBe(1);
    const [snapshot] = (await bucket.list("places/")).filter(({ key }) => key.endsWith(".gz"));
    expect(snapshot).toBeDefined();
  });

  test("that is too much however small the box is an error that names another way", async () => {
    const made = await open([shop(1, 48.15, 11.55)]);
    made.server.always = "out of memory";
    expect(await failureOf(made)).toMatchObject({
      code: "places_too_big",
      message: expect.stringMatching(/48\.1_11\.5.*places import/) as string,
    });
  });
});

describe("no snapshot, and a wait that the server asked for", () => {
  test.each([
    ["429", "places_refused", 30_000],
    ["duplicate", "places_refused", 90_000],
    ["504", "places_overloaded", 30_000],
    ["html", "places_bad_answer", 60_000],
    ["empty", "places_bad_answer", 60_000],
    ["cut", "places_bad_answer", 60_000],
    ["half", "places_unreachable", 60_000],
    ["reset", "places_unreachable", 60_000],
  ] as const)("after %s", async (fault, code, leastMs) => {
    const made = await open([shop(1, 48.15, 11.55)]);
    made.server.faults.push(fault);
    const failure = await failureOf(made);
    expect(failure).toMatchObject({ code, kind: "unavailable" });
    expect(failure.waitMs).toBeGreaterThanOrEqual(leastMs);
    // No request is sent before that time, whichever caller asks.
    const sent = made.server.requests.length;
    expect(await failureOf(made)).toMatchObject({ code: "places_refused" });
    expect(made.server.requests).toHaveLength(sent);
  });

  test("of data that is too old, or of unknown age", async () => {
    const made = await open([shop(1, 48.15, 11.55)]);
    made.server.dataTime = "2020-01-01T00:00:00Z";
    expect(await failureOf(made)).toMatchObject({
      code: "places_stale",
      message: expect.stringContaining("2020-01-01") as string,
    });
    expect(await made.source.check()).toMatchObject({ status: "bad" });
  });

  test("if no slot is free; servers without slots are asked all the same", async () => {
    const made = await open([shop(1, 48.15, 11.55)]);
    made.server.slots = { rateLimit: 2, free: 0, nextInS: 42 };
    expect(await failureOf(made)).toMatchObject({ code: "places_no_slot", waitMs: 43_000 });
    expect(made.server.requests).toHaveLength(0);
    for (const statusText of ["Rate limit: 0\nCurrently running queries", "<html>nothing</html>"]) {
      const other = await open([shop(1, 48.15, 11.55)]);
      other.server.statusText = statusText;
      expect((await other.source.area!(tile)).places).toHaveLength(1);
    }
  });

  test("when the day's requests or bytes are used up, for all nodes of the bucket", async () => {
    const made = await open([shop(1, 48.15, 11.55)], { requestsMax: 1 });
    await made.source.check();
    const other = { ...made, ...connect(made.server, { bucket: made.bucket, requestsMax: 1 }) };
    expect(await failureOf(other)).toMatchObject({ code: "places_budget" });
    expect(made.server.requests).toHaveLength(1);
    const small = await open([shop(1, 48.15, 11.55)], { bytesMax: 10 });
    await small.source.check();
    expect((await small.budget.used()).bytes).toBeGreaterThan(10);
    expect(await failureOf(small)).toMatchObject({ code: "places_budget" });
  });
});

describe("no retry", () => {
  test.each([
    ["400", "places_query"],
    ["406", "places_forbidden"],
  ] as const)("helps against %s", async (fault, code) => {
    const made = await open([shop(1, 48.15, 11.55)]);
    made.server.faults.push(fault);
    expect(await failureOf(made)).toMatchObject({ code, kind: "invalid" });
  });

  test("helps a program that does not name a contact", async () => {
    const made = await open([shop(1, 48.15, 11.55)], { userAgent: "node" });
    expect(await failureOf(made)).toMatchObject({ code: "places_forbidden" });
  });
});

test("a remark that is not a runtime error is logged and not a failure", async () => {
  const { server, source, remarks } = await open([shop(1, 48.15, 11.55)]);
  server.faults.push("other remark");
  expect((await source.area!(tile)).places).toHaveLength(1);
  expect(remarks).toEqual([{ remark: "note: this server is an example" }]);
});

test("a server that never answers is left alone until its query has timed out", async () => {
  const clock = createTestClock();
  const made = await open([shop(1, 48.15, 11.55)], { clock });
  made.server.dataTime = new Date(clock.nowMs()).toISOString();
  made.server.faults.push("silence");
  const failed = failureOf(made);
  const sent = async () => {
    await clock.advance(1);
    return made.server.requests.length;
  };
  await expect.poll(sent).toBe(1);
  await clock.advance(180_000);
  const { code, kind, waitMs } = await failed;
  expect({ code, kind }).toEqual({ code: "places_unreachable", kind: "unavailable" });
  expect(waitMs).toBeGreaterThanOrEqual(60_000);
});

test("requests are one at a time, and apart by the delay, also if many ask at once", async () => {
  const { server, source } = await open([shop(1, 48.15, 11.55)], { delayMs: 60 });
  server.answerMs = 20;
  const tiles = ["48.1_11.5", "48.2_11.5", "48.3_11.5", "48.4_11.5"].map((id) => parseTileId(id)!);
  const times: number[] = [];
  const onRequest = () => void times.push(performance.now());
  await Promise.all(tiles.map((one) => source.area!(one, undefined, onRequest)));
  expect(server.atOnceMax).toBe(1);
  expect(server.requests).toHaveLength(4);
  expect(times).toHaveLength(4);
  for (const [index, at] of times.entries()) {
    if (index > 0) expect(at - times[index - 1]!).toBeGreaterThan(59.999);
  }
});
