// inputs: src/campaign/** src/ledger/** src/queue/** src/worker/** src/base/**
import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import type { Ledger } from "../ledger/index.ts";
import { openTestLedger, valuesOf } from "../ledger/testing/test-ledger.ts";
import type { TaskInput } from "../queue/index.ts";
import type { Campaign } from "./campaign.ts";
import { detail } from "./details.ts";
import { discover } from "./discover.ts";
import { parseTileId } from "./grid.ts";
import { parseCampaign } from "./parse-campaign.ts";
import type { Place, PlaceFinder } from "./place.ts";
import type { CampaignServices } from "./services.ts";
import { detailsSchema, enrichKind, type DetailsPayload } from "./tasks.ts";
import { createLedgerCompanies } from "./testing/ledger-companies.ts";
import { readWitnessesOf, witnessChange } from "./witness.ts";

const config = `phrases = ["plumber"]
[[locations]]
name = "Munich"
lat = 48.15
lon = 11.55
[exclusions]
domains = ["spam.test"]
names = ["Bad  Company"]
places = ["p/9"]
`;
const campaign = parseCampaign("munich", "config.toml", config);
const tile = parseTileId("48.1_11.5")!;
const payload = { campaign: "munich", tile: tile.id, phrase: "plumber" };
const by = { id: 1, token: 1 };
const signal = new AbortController().signal;

const place = (id: string, more: Partial<Place> = {}): Place => ({
  id,
  name: `Rohr ${id}`,
  ...more,
});

interface World {
  readonly services: CampaignServices;
  readonly ledger: Ledger;
  readonly tasks: Map<string, TaskInput>;
  readonly asked: string[];
}

/** Real but for the source, which answers what the test says, and the queue, which keeps keys. */
async function createWorld(
  find: () => AsyncIterable<Place>,
  more: { readonly campaign?: Campaign; readonly look?: PlaceFinder["look"] } = {},
): Promise<World & AsyncDisposable> {
  const clock = createTestClock();
  const ledger = await openTestLedger({ clock });
  const tasks = new Map<string, TaskInput>();
  const asked: string[] = [];
  const finder: PlaceFinder = {
    name: "file:p.jsonl",
    find({ phrase }) {
      asked.push(phrase);
      return find();
    },
    look: more.look ?? (async () => undefined),
  };
  const services: CampaignServices = {
    clock,
    ledger,
    companies: createLedgerCompanies(ledger),
    campaign: async () => more.campaign ?? campaign,
    places: async () => finder,
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
  return { services, ledger, tasks, asked, [Symbol.asyncDispose]: dispose };
}

async function* listed(...places: readonly Place[]) {
  yield* places;
}
const witnessOf = async ({ ledger }: World) => (await readWitnessesOf(ledger, tile)).get("plumber");

describe("discover", () => {
  test("every place becomes a task, each once; then there is a witness", async () => {
    await using world = await createWorld(() => listed(place("p/1"), place("p/2"), place("p/1")));
    const result = await discover(world.services, payload, { by, signal });
    expect(result).toEqual({ found: 2, excluded: 0 });
    expect([...world.tasks.values()]).toMatchObject([
      { kind: "details", job: "munich", payload: { ...payload, place: { id: "p/1" } } },
      { kind: "details", job: "munich", payload: { ...payload, place: { id: "p/2" } } },
    ]);
    expect(await witnessOf(world)).toMatchObject({ found: 2, source: "file:p.jsonl" });
  });

  test("lesson 42: a source that fails half-way leaves no witness, and is asked again", async () => {
    let isBroken = true;
    await using world = await createWorld(async function* () {
      yield place("p/1");
      if (isBroken) throw new AppError("unavailable", "source_down", "it went away");
      yield place("p/2");
    });
    const run = () => discover(world.services, payload, { by, signal });
    await expect(run()).rejects.toMatchObject({ code: "source_down" });
    expect(await witnessOf(world)).toBeUndefined();
    isBroken = false;
    expect(await run()).toEqual({ found: 2, excluded: 0 });
    expect(world.tasks.size).toBe(2);
  });

  test("lesson 42: an empty tile has a witness that says so", async () => {
    await using world = await createWorld(() => listed());
    expect(await discover(world.services, payload, { by, signal })).toEqual({
      found: 0,
      excluded: 0,
    });
    expect(await witnessOf(world)).toMatchObject({ found: 0 });
  });

  test("what dies before its witness was written does the same again, and adds nothing twice", async () => {
    await using world = await createWorld(() => listed(place("p/1"), place("p/2")));
    const { services, tasks } = world;
    const dying = {
      ...services,
      ledger: { ...services.ledger, write: () => Promise.reject(new Error("killed")) },
    };
    await expect(discover(dying, payload, { by, signal })).rejects.toThrow("killed");
    expect([tasks.size, await witnessOf(world)]).toEqual([2, undefined]);
    const keys = [...tasks.keys()];
    await discover(services, payload, { by, signal });
    expect([...tasks.keys()]).toEqual(keys);
  });

  test("what cannot be stored leaves no witness either", async () => {
    await using world = await createWorld(() => listed(place("p/1")));
    const full = { ...world.services, addTasks: () => Promise.reject(new Error("full")) };
    await expect(discover(full, payload, { by, signal })).rejects.toThrow("full");
    expect(await witnessOf(world)).toBeUndefined();
  });

  test("a tile that another campaign has looked through since is not asked for again", async () => {
    await using world = await createWorld(() => listed(place("p/1")));
    const { services, ledger, asked } = world;
    const at = new Date(services.clock.nowMs()).toISOString();
    const change = witnessChange(tile, "plumber", { at, found: 3, source: "file:other" });
    await ledger.write({ source: "system", changes: [change] });
    expect(await discover(services, payload, { by, signal })).toBe("witnessed");
    expect(asked).toEqual([]);
    // The one that it follows is no reason not to ask.
    await discover(services, { ...payload, since: at }, { by, signal });
    expect(asked).toEqual(["plumber"]);
  });

  test("what is excluded is counted and left alone", async () => {
    await using world = await createWorld(() =>
      listed(
        place("p/9"),
        place("p/1", { name: "bad company" }),
        place("p/2", { website: "http://www.spam.test/x" }),
        place("p/3", { website: "notspam.test" }),
      ),
    );
    const result = await discover(world.services, payload, { by, signal });
    expect(result).toEqual({ found: 4, excluded: 3 });
    expect([...world.tasks.values()]).toMatchObject([{ payload: { place: { id: "p/3" } } }]);
  });

  test("asked to stop, it stops, and there is no witness", async () => {
    const stop = new AbortController();
    await using world = await createWorld(async function* () {
      yield place("p/1");
      stop.abort();
      yield place("p/2");
    });
    const run = discover(world.services, payload, { by, signal: stop.signal });
    await expect(run).rejects.toMatchObject({ name: "AbortError" });
    expect(await witnessOf(world)).toBeUndefined();
  });
});

describe("details", () => {
  const at = "2026-11-16T00:00:00.000Z";
  const found = (one: Place): DetailsPayload => ({ ...payload, at, place: one });
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
    await using world = await createWorld(() => listed());
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
      name: "Rohr osm/node/1",
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
      "found/48.1_11.5/plumber": { campaign: "munich", at, source: "file:p.jsonl" },
    });
    const { fields } = await world.ledger.read(target);
    expect(new Set(fields.map(({ source }) => source))).toEqual(new Set(["place:osm/node/1"]));
  });

  test("lesson 42: a place that says less the next time takes nothing away", async () => {
    await using world = await createWorld(() => listed());
    await detail(world.services, found(full), signal);
    const before = await valuesOf(world.ledger, "company/osm-node-1");
    const later = { ...found({ id: full.id, name: full.name }), at: "2026-12-01T00:00:00.000Z" };
    expect(await detail(world.services, later, signal)).toMatchObject({
      company: { status: "changed" },
    });
    const after = await valuesOf(world.ledger, "company/osm-node-1");
    const provenance = "found/48.1_11.5/plumber";
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
    await using world = await createWorld(() => listed(), { look });
    const hollow = detailsSchema.parse({ ...payload, at, id: full.id });
    expect(await detail(world.services, hollow, signal)).toMatchObject({ kind: "put" });
    const gone = detailsSchema.parse({ ...payload, at, id: "osm/node/2" });
    expect(await detail(world.services, gone, signal)).toMatchObject({
      kind: "left",
      reason: expect.stringContaining("no place osm/node/2") as string,
    });
    expect(() => detailsSchema.parse({ ...payload, at })).toThrow(/id of one/);
  });

  test("what was forgotten stays so, by its place and by its domain", async () => {
    await using world = await createWorld(() => listed());
    await detail(world.services, found(full), signal);
    await world.ledger.forget({ target: "company/osm-node-1", source: "hand:anna" });
    const other = place("osm/node/2", { website: "https://rohr.de" });
    for (const one of [full, other]) {
      expect(await detail(world.services, found(one), signal)).toEqual({
        kind: "left",
        reason: "it was forgotten",
      });
    }
    expect(await valuesOf(world.ledger, "company/osm-node-2")).toEqual({});
  });

  test("what is excluded by now is left alone", async () => {
    await using world = await createWorld(() => listed());
    const one = place("p/9");
    expect(await detail(world.services, found(one), signal)).toMatchObject({ kind: "left" });
  });

  test("a page on a network is a profile there, and its domain is nobody's", async () => {
    await using world = await createWorld(() => listed());
    const one = place("p/1", { website: "https://www.facebook.com/rohr" });
    const result = await detail(world.services, found(one), signal);
    expect(result).toMatchObject({ kind: "put", enrich: undefined });
    const values = await valuesOf(world.ledger, "company/p-1");
    expect(values).toMatchObject({ "social/facebook": "https://www.facebook.com/rohr" });
    expect(values).not.toHaveProperty("domain");
    expect(values).not.toHaveProperty("website");
  });
});
