// inputs: src/campaign/** src/sources/** src/extract/** src/ledger/** src/records/** src/queue/** src/worker/** src/base/**
import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import type { Ledger } from "../ledger/index.ts";
import { openTestLedger, valuesOf } from "../ledger/testing/test-ledger.ts";
import type { TaskInput } from "../queue/index.ts";
import { addSuppressed } from "../records/index.ts";
import {
  parseTileId,
  type Place,
  type PlaceSource,
  type SnapshotRelease,
} from "../sources/index.ts";
import { SlowDownError, type HandledTask } from "../worker/index.ts";
import { placeFileKey, type Campaign } from "./campaign.ts";
import { detail } from "./places/details.ts";
import { createDiscoverHandler, discover } from "./places/discover.ts";
import { parseCampaign } from "./config/parse-campaign.ts";
import { filtersSchema } from "./places/filters.ts";
import { createPhraseCache, meaningHash } from "./places/phrase-meaning.ts";
import type { CampaignServices, CampaignSource } from "./services.ts";
import { detailsSchema, discoverSchema, enrichKind, type DetailsPayload } from "./tasks.ts";
import { createLedgerCompanies } from "./testing/ledger-companies.ts";
import { readWitnessesOf, witnessChange, witnessOf } from "./witness.ts";

const config = `phrases = ["plumber"]
[[locations]]
name = "Munich"
lat = 48.15
lon = 11.55
[sources]
file = "p.jsonl"
[exclusions]
domains = ["spam.test"]
names = ["Bad  Company"]
places = ["p/9"]
`;
const campaign = parseCampaign("munich", "config.toml", config);
const tile = parseTileId("48.1_11.5")!;
const due = [{ phrase: "plumber" }];
const payload = { campaign: "munich", tile: tile.id, source: "file", due };
const question = { phrase: "plumber", source: placeFileKey(campaign)! };
const otherFile = placeFileKey({ name: "other", sourceFile: "p.jsonl" })!;
const by = { id: 1, token: 1 };
const signal = new AbortController().signal;

const place = (id: string, more: Partial<Place> = {}): Place => ({
  id,
  name: `Plumber ${id}`,
  ...more,
});

interface World {
  readonly services: CampaignServices;
  readonly ledger: Ledger;
  readonly tasks: Map<string, TaskInput>;
  readonly asked: string[];
  /** What the file has, as far as releases show. */
  readonly file: { release: string };
}

/** Real but for the source, which answers what the test says, and the queue, which keeps keys. */
async function createWorld(
  area: () => readonly Place[] | Promise<readonly Place[]>,
  more: { readonly campaign?: Campaign; readonly look?: PlaceSource["look"] } = {},
): Promise<World & AsyncDisposable> {
  const clock = createTestClock();
  const ledger = await openTestLedger({ clock });
  const tasks = new Map<string, TaskInput>();
  const asked: string[] = [];
  const file = { release: "r1" };
  const source: CampaignSource = {
    name: "file:p.jsonl",
    key: "p",
    attribution: { text: "", licence: "none", url: "" },
    async area({ id }, signal) {
      asked.push(id);
      const places = await area();
      signal?.throwIfAborted();
      return { places, ...file, dataTime: undefined, outside: 0 };
    },
    release: async () => file as SnapshotRelease,
    look: more.look ?? (async () => undefined),
    check: async () => ({ status: "good", release: "r1", dataTime: undefined }),
  };
  const services: CampaignServices = {
    clock,
    ledger,
    companies: createLedgerCompanies(ledger),
    campaign: async () => more.campaign ?? campaign,
    places: async () => source,
    phrases: createPhraseCache(),
    addTasks: async (added) => {
      for (const task of added) tasks.set(task.key!, task);
    },
    enrichTask: ({ target, website }) => ({
      kind: enrichKind,
      key: `${enrichKind} ${target}`,
      payload: { target, website },
    }),
  };
  const dispose = () => ledger[Symbol.asyncDispose]();
  return { services, ledger, tasks, asked, file, [Symbol.asyncDispose]: dispose };
}

const witnessIn = async ({ ledger }: World, phrase = "plumber") =>
  witnessOf(await readWitnessesOf(ledger, tile, { campaign }), { phrase, source: "file" });
const nameOf = async ({ ledger }: World, id: string) =>
  (await valuesOf(ledger, `company/${id}`))["name"];

describe("discover", () => {
  test("every place that a phrase finds becomes a company; then there is a witness", async () => {
    await using world = await createWorld(() => [
      place("p/1", { website: "a.example" }),
      place("p/2"),
      place("p/3", { name: "Bakery" }),
      place("p/4", { name: "Rohr & Co", tags: ["craft=plumber"] }),
    ]);
    const result = await discover(world.services, payload, { by, signal });
    expect(result).toEqual({ found: 3, excluded: 0, created: 3 });
    expect([...world.tasks.values()]).toMatchObject([
      { kind: "enrich", key: "enrich company/p-1" },
    ]);
    expect(await nameOf(world, "p-4")).toBe("Rohr & Co");
    expect(await nameOf(world, "p-3")).toBeUndefined();
    const how = meaningHash(createPhraseCache()(campaign).phrases[0]!);
    expect(await witnessIn(world)).toEqual({
      at: expect.any(String) as string,
      found: 3,
      source: "file:p.jsonl",
      release: "r1",
      how,
    });
  });

  test("one task answers all phrases that are due, each with its own witness", async () => {
    const both = parseCampaign("munich", "config.toml", config.replace('["plumber"]', '["plumber", "bakery"]')); // prettier-ignore
    await using world = await createWorld(
      () => [
        place("p/1"),
        place("p/2", { name: "Bakery" }),
        place("p/3", { name: "Plumber Bakery" }),
      ],
      { campaign: both },
    );
    const asked = {
      ...payload,
      due: [{ phrase: "plumber" }, { phrase: "bakery" }, { phrase: "gone" }],
    };
    expect(await discover(world.services, asked, { by, signal })).toMatchObject({ found: 3 });
    expect(await witnessIn(world)).toMatchObject({ found: 2 });
    expect(await witnessIn(world, "bakery")).toMatchObject({ found: 2 });
    expect(await witnessIn(world, "gone")).toBeUndefined();
    const values = await valuesOf(world.ledger, "company/p-3");
    expect(Object.keys(values).filter((field) => field.startsWith("found/"))).toHaveLength(2);
  });

  test("lesson 42: a source that fails leaves no witness, and is asked again", async () => {
    let isBroken = true;
    await using world = await createWorld(() => {
      if (isBroken) throw new AppError("unavailable", "source_down", "it went away");
      return [place("p/1"), place("p/2")];
    });
    const run = () => discover(world.services, payload, { by, signal });
    await expect(run()).rejects.toMatchObject({ code: "source_down" });
    expect(await witnessIn(world)).toBeUndefined();
    isBroken = false;
    expect(await run()).toMatchObject({ found: 2 });
  });

  test("a source that is busy closes its gate for as long as it asks, and there is no witness", async () => {
    await using world = await createWorld(() => {
      throw new AppError("unavailable", "places_refused", "come back later", {
        cause: new SlowDownError("wait", { retryAfterMs: 42_000 }),
      });
    });
    const task = { id: 1, token: 1, kind: "discover", payload } as unknown as HandledTask<unknown>;
    const context = { task, signal, services: world.services, progress: () => {}, markStart: () => {} }; // prettier-ignore
    const outcome = await createDiscoverHandler().run(context as never);
    expect(outcome).toEqual({
      kind: "retry",
      reason: "come back later",
      delayMs: 42_000,
      slowDown: { retryAfterMs: 42_000 },
    });
    expect(await witnessIn(world)).toBeUndefined();
  });

  test("lesson 42: an empty tile has a witness that says so", async () => {
    await using world = await createWorld(() => []);
    expect(await discover(world.services, payload, { by, signal })).toMatchObject({ found: 0 });
    expect(await witnessIn(world)).toMatchObject({ found: 0 });
  });

  test("what dies before its witness was written does the same again, and adds nothing twice", async () => {
    await using world = await createWorld(() => [
      place("p/1", { website: "a.example" }),
      place("p/2"),
    ]);
    const { services, tasks, ledger } = world;
    const dying = {
      ...services,
      ledger: { ...services.ledger, write: () => Promise.reject(new Error("killed")) },
    };
    await expect(discover(dying, payload, { by, signal })).rejects.toThrow("killed");
    expect([tasks.size, await witnessIn(world)]).toEqual([1, undefined]);
    const keys = [...tasks.keys()];
    expect(await discover(services, payload, { by, signal })).toMatchObject({ created: 0 });
    expect([...tasks.keys()]).toEqual(keys);
    const names = (await ledger.log({ from: 0, limit: Infinity })).filter(
      ({ field }) => field === "name",
    );
    expect(names).toHaveLength(2);
  });

  test("what cannot be stored leaves no witness either", async () => {
    await using world = await createWorld(() => [place("p/1", { website: "a.example" })]);
    const full = { ...world.services, addTasks: () => Promise.reject(new Error("full")) };
    await expect(discover(full, payload, { by, signal })).rejects.toThrow("full");
    expect(await witnessIn(world)).toBeUndefined();
    const away = {
      ...world.services,
      companies: { putAll: () => Promise.reject(new Error("away")) },
    };
    await expect(discover(away, payload, { by, signal })).rejects.toThrow("away");
    expect(await witnessIn(world)).toBeUndefined();
  });

  test("a tile that another task has searched since is not asked for again", async () => {
    await using world = await createWorld(() => [place("p/1")]);
    const { services, ledger, asked } = world;
    const at = new Date(services.clock.nowMs()).toISOString();
    const witness = { at, found: 3, source: "file:other", release: "r1" };
    const change = witnessChange(tile, { ...question, source: "file" }, witness);
    await ledger.write({ source: "system", changes: [change] });
    expect(await discover(services, payload, { by, signal })).toBe("witnessed");
    expect(asked).toEqual([]);
    // A witness from the moment `since` is to be replaced, so it does not prevent the request.
    const again = { ...payload, due: [{ phrase: "plumber", since: at }] };
    await discover(services, again, { by, signal });
    expect(asked).toEqual([tile.id]);
  });

  test("a file of its own is searched, whatever another campaign found in its file, and again when it changes", async () => {
    await using world = await createWorld(() => [place("p/1")]);
    const { services, ledger, asked, file } = world;
    const at = new Date(services.clock.nowMs()).toISOString();
    const witness = { at, found: 0, source: "file:p.jsonl", release: "r9" };
    const changes = [otherFile, "file"].map((source) =>
      witnessChange(tile, { ...question, source }, witness),
    );
    await ledger.write({ source: "system", changes });
    const run = () => discover(services, payload, { by, signal });
    expect(await run()).toMatchObject({ created: 1 });
    expect(await run()).toBe("witnessed");
    file.release = "r2";
    expect(await run()).toMatchObject({ found: 1 });
    expect(await run()).toBe("witnessed");
    expect(asked).toHaveLength(2);
    // Both have their own: neither takes the place of the other.
    const seen = await readWitnessesOf(ledger, tile, {
      campaign: { ...campaign, name: "other" },
      release: { release: "r9" },
    });
    expect(seen.get("plumber@file")).toEqual(witness);
  });

  test("a witness of one source does not silence another; one of the first version counts for the file", async () => {
    await using world = await createWorld(() => [place("p/1")]);
    const { services, ledger } = world;
    const at = new Date(services.clock.nowMs()).toISOString();
    const old = {
      target: `tile/${tile.id}`,
      field: "plumber",
      value: { at, found: 1, source: "file:p.jsonl" },
    };
    await ledger.write({ source: "system", changes: [old] });
    expect(await discover(services, payload, { by, signal })).toBe("witnessed");
    const own = witnessChange(tile, question, { at, found: 1, source: "file:p.jsonl" });
    await ledger.write({ source: "system", changes: [own] });
    const other = { ...payload, source: "berlin" };
    expect(await discover(services, other, { by, signal })).toMatchObject({ found: 1 });
  });

  test("a task of the first version has one phrase, and is of the file", () => {
    const at = "2026-11-16T00:00:00.000Z";
    const old = { campaign: "munich", tile: tile.id, phrase: "plumber", since: at };
    expect(discoverSchema.parse(old)).toEqual({
      ...payload,
      due: [{ phrase: "plumber", since: at }],
    });
  });

  test("what is excluded is counted and left alone", async () => {
    await using world = await createWorld(() => [
      place("p/9"),
      place("p/1", { name: "bad company", tags: ["craft=plumber"] }),
      place("p/2", { website: "http://www.spam.test/x" }),
      place("p/3", { website: "notspam.test" }),
    ]);
    const result = await discover(world.services, payload, { by, signal });
    expect(result).toEqual({ found: 4, excluded: 3, created: 1 });
    expect([...world.tasks.keys()]).toEqual(["enrich company/p-3"]);
  });

  test("F3: what a filter rejects is kept, counted by filter, and gets no task", async () => {
    const filters = filtersSchema.parse({ website: true, chains: false, ratingMin: 4 });
    const places = () => [
      place("p/1", { website: "a.example", rating: 4.5 }),
      place("p/2", { rating: 5 }),
      place("p/3", { website: "c.example", rating: 5, brand: "Big" }),
      place("p/4", { website: "d.example" }),
      place("p/5", { website: "e.example", rating: 3.9 }),
    ];
    await using world = await createWorld(places, { campaign: { ...campaign, filters } });
    const result = await discover(world.services, payload, { by, signal });
    const filtered = { website: 1, chain: 1, rating: 2 };
    expect(result).toEqual({ found: 5, excluded: 0, created: 5, filtered });
    expect([...world.tasks.keys()]).toEqual(["enrich company/p-1"]);
    // Another campaign that shares the witness has the company all the same.
    expect(await nameOf(world, "p-5")).toBe(place("p/5").name);
    const values = await valuesOf(world.ledger, "company/p-3");
    expect(values[`found/${tile.id}/plumber/${question.source}`]).toMatchObject({
      filtered: "chain",
    });
  });

  test("what was forgotten stays so, by its place and by its domain", async () => {
    await using world = await createWorld(() => [
      place("p/1", { website: "https://rohr.de" }),
      place("p/2", { website: "https://rohr.de/x" }),
    ]);
    const one = place("p/1", { website: "https://rohr.de" });
    const at = "2026-11-16T00:00:00.000Z";
    await detail(world.services, detailsSchema.parse({ ...payload, phrase: "plumber", at, place: one }), signal); // prettier-ignore
    await world.ledger.forget({ target: "company/p-1", source: "hand:anna" });
    expect(await discover(world.services, payload, { by, signal })).toMatchObject({ created: 0 });
    expect(await nameOf(world, "p-2")).toBeUndefined();
  });

  test("what is on the suppression list is not discovered, by its place and by its domain", async () => {
    await using world = await createWorld(() => [
      place("p/1", { website: "https://rohr.de" }),
      place("p/2", { website: "https://shop.gas.de/x" }),
      place("p/3", { website: "https://wasser.de" }),
    ]);
    const { ledger } = world;
    const keys = ["place:p/1", "domain:gas.de"] as const;
    await addSuppressed(ledger, { keys, source: "hand:anna", random: createSeededRandom(1) });
    const reported = await discover(world.services, payload, { by, signal });
    expect(reported).toEqual({ found: 3, excluded: 0, created: 1, suppressed: 2 });
    expect(await witnessIn(world)).toMatchObject({ found: 3, suppressed: 2 });
    expect([...world.tasks.keys()]).toEqual(["enrich company/p-3"]);
    expect(await nameOf(world, "p-1")).toBeUndefined();
  });

  test("asked to stop, it stops, and there is no witness", async () => {
    const stop = new AbortController();
    await using world = await createWorld(() => {
      stop.abort();
      return [place("p/1"), place("p/2")];
    });
    const run = discover(world.services, payload, { by, signal: stop.signal });
    await expect(run).rejects.toMatchObject({ name: "AbortError" });
    expect(await witnessIn(world)).toBeUndefined();
  });
});

describe("details", () => {
  const at = "2026-11-16T00:00:00.000Z";
  const base = { campaign: "munich", tile: tile.id, phrase: "plumber", source: "file", at };
  const found = (one: Place): DetailsPayload => ({ ...base, place: one });
  const full = place("osm/node/1", {
    latitude: 48.15,
    longitude: 11.55,
    city: "München",
    country: "DE",
    website: "www.rohr.de/start",
    phones: ["089 123456", "nonsense"],
    emails: ["Info@Rohr.de", "not an address"],
    categories: ["Plumber"],
    rating: 4.5,
  });

  test("a place becomes a company that can be traced back to tile and phrase, and a website to visit", async () => {
    await using world = await createWorld(() => []);
    const result = await detail(world.services, found(full), signal);
    const target = "company/osm-node-1";
    expect(result).toEqual({
      kind: "put",
      company: { status: "created", target },
      enrich: {
        kind: "enrich",
        key: `enrich ${target}`,
        payload: { target, website: "https://www.rohr.de/start" },
      },
    });
    expect(await valuesOf(world.ledger, target)).toEqual({
      name: "Plumber osm/node/1",
      place: "osm/node/1",
      latitude: 48.15,
      longitude: 11.55,
      city: "München",
      country: "DE",
      website: "https://www.rohr.de/start",
      domain: "rohr.de",
      rating: 4.5,
      foundAt: at,
      "phone/+4989123456": true,
      "email/info@rohr.de": true,
      "category/plumber": true,
      [`found/48.1_11.5/plumber/${question.source}`]: {
        campaign: "munich",
        at,
        source: "file:p.jsonl",
      },
    });
    const { fields } = await world.ledger.read(target);
    expect(new Set(fields.map(({ source }) => source))).toEqual(new Set(["place:osm/node/1"]));
  });

  test("lesson 42: a place that says less the next time takes nothing away", async () => {
    await using world = await createWorld(() => []);
    await detail(world.services, found(full), signal);
    const before = await valuesOf(world.ledger, "company/osm-node-1");
    const later = { ...found({ id: full.id, name: full.name }), at: "2026-12-01T00:00:00.000Z" };
    expect(await detail(world.services, later, signal)).toMatchObject({
      company: { status: "changed" },
    });
    const after = await valuesOf(world.ledger, "company/osm-node-1");
    const provenance = `found/48.1_11.5/plumber/${question.source}`;
    expect(after).toEqual({
      ...before,
      [provenance]: { ...(before[provenance] as object), at: later.at },
    });
    expect(await detail(world.services, later, signal)).toMatchObject({
      company: { status: "unchanged" },
    });
  });

  test("a task may have the id alone: then the source is asked", async () => {
    const look = async (id: string) => (id === full.id ? full : undefined);
    await using world = await createWorld(() => [], { look });
    const hollow = detailsSchema.parse({ ...base, id: full.id });
    expect(await detail(world.services, hollow, signal)).toMatchObject({ kind: "put" });
    const gone = detailsSchema.parse({ ...base, id: "osm/node/2" });
    expect(await detail(world.services, gone, signal)).toMatchObject({
      kind: "left",
      reason: expect.stringContaining("no longer has place osm/node/2") as string,
    });
    expect(() => detailsSchema.parse(base)).toThrow(/id of one/);
  });

  test("what was forgotten stays so, by its place and by its domain", async () => {
    await using world = await createWorld(() => []);
    await detail(world.services, found(full), signal);
    await world.ledger.forget({ target: "company/osm-node-1", source: "hand:anna" });
    const other = place("osm/node/2", { website: "https://rohr.de" });
    for (const one of [full, other]) {
      expect(await detail(world.services, found(one), signal)).toEqual({
        kind: "left",
        reason: "it is suppressed: on the suppression list, or forgotten",
      });
    }
    expect(await valuesOf(world.ledger, "company/osm-node-2")).toEqual({});
  });

  test("what is excluded by now is left alone", async () => {
    await using world = await createWorld(() => []);
    const one = place("p/9");
    expect(await detail(world.services, found(one), signal)).toMatchObject({ kind: "left" });
  });

  test("a page on a network is a profile there, and its domain belongs to no company", async () => {
    await using world = await createWorld(() => []);
    const one = place("p/1", { website: "https://www.facebook.com/rohr" });
    const result = await detail(world.services, found(one), signal);
    expect(result).toMatchObject({ kind: "put", enrich: undefined });
    const values = await valuesOf(world.ledger, "company/p-1");
    expect(values).toMatchObject({ "social/facebook": "https://www.facebook.com/rohr" });
    expect(values).not.toHaveProperty("domain");
    expect(values).not.toHaveProperty("website");
  });
});
