// inputs: src/campaign/** src/ledger/** src/queue/** src/base/**
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTestClock } from "../base/testing/test-clock.ts";
import { openTestLedger } from "../ledger/testing/test-ledger.ts";
import { createMemoryQueueStore } from "../queue/adapters/memory/memory-queue-store.ts";
import { createQueue } from "../queue/index.ts";
import { createSeededRandom } from "../base/random.ts";
import { parseTileId } from "../sources/index.ts";
import type { Campaign } from "./campaign.ts";
import { chooseBatch, dispatch, dueTargets, groupByTask } from "./dispatch.ts";
import { parseCampaign } from "./config/parse-campaign.ts";
import { planTargets, planTiles, type Target } from "./plan.ts";
import { campaignStatus } from "./status.ts";
import { encodeTargetIndex } from "./config/campaign-folder.ts";
import { discoverTask } from "./tasks.ts";
import { placeFileKey } from "./campaign.ts";
import { readWitnesses, witnessState, tileTarget, witnessChange, type Witness } from "./witness.ts";

const campaign: Campaign = parseCampaign(
  "munich",
  "config.toml",
  `phrases = ["plumber", "dentist"]
proximityKm = 6
[[locations]]
name = "North, =1"
lat = 48.15
lon = 11.55
[[locations]]
name = "South"
lat = 48.05
lon = 11.55
`,
);
const targets = planTargets(campaign);
const dayMs = 86_400_000;
const nowMs = Date.parse("2026-11-16T00:00:00.000Z");
const ago = (days: number) => new Date(nowMs - days * dayMs).toISOString();
const source = "file:a.jsonl";

describe("a plan", () => {
  test("has every tile once, though two locations share some, and tiles × phrases targets", () => {
    const tiles = planTiles(campaign);
    expect(tiles).toHaveLength(12);
    expect(new Set(tiles.map(({ tile }) => tile.id)).size).toBe(12);
    expect(targets).toHaveLength(24);
    expect(tiles.filter(({ location }) => location === "South")).toHaveLength(3);
  });

  test("lesson 53: plan, index, dispatch and status count the same tiles", () => {
    const lines = encodeTargetIndex(targets).trimEnd().split("\r\n").slice(1);
    const witnesses = new Map();
    const status = campaignStatus(campaign, targets, witnesses, nowMs);
    const due = dueTargets({ targets, witnesses, freshness: campaign.freshness, nowMs });
    expect(lines).toHaveLength(status.targets);
    expect(due).toHaveLength(status.expired + status.never);
    expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(status.tiles);
  });

  test("its index is CSV that a spreadsheet takes for text and numbers", () => {
    const [head, first] = encodeTargetIndex(targets).split("\r\n");
    expect(head).toBe("tile,phrase,south,west,north,east,location");
    expect(first).toBe("47.9_11.4,plumber,47.9,11.4,48.0,11.5,South");
    expect(encodeTargetIndex([{ ...targets[0]!, location: '=cmd "x"' }])).toContain(
      `,"'=cmd ""x"""`,
    );
    const south = { ...targets[0]!, tile: parseTileId("-33.9_151.2")!, phrase: "a;=1+1" };
    expect(encodeTargetIndex([south])).toContain(`\r\n-33.9_151.2,"a;'=1+1",-33.9,`);
  });

  test("one that is too big is refused, with what to do", () => {
    const phrases = Array.from({ length: 90_000 }, (_, index) => `p${index}`);
    expect(() => planTargets({ ...campaign, phrases })).toThrow(/split it into several campaigns/);
  });
});

describe("a witness", () => {
  test("is a datagram on its tile, and is read back; other things there are none", async () => {
    await using ledger = await openTestLedger();
    const { tile } = targets[0]!;
    const witness: Witness = { at: ago(1), found: 3, source };
    await ledger.write({
      source: "system",
      changes: [
        witnessChange(tile, { phrase: "plumber", source: "berlin" }, witness),
        { target: tileTarget(tile), field: "dentist", value: "done" },
        { target: tileTarget(tile), field: "baker", value: { at: "today", found: 1, source } },
      ],
    });
    expect((await ledger.read(`tile/${tile.id}`)).fields.map(({ field }) => field)).toContain(
      "plumber@berlin",
    );
    const found = await readWitnesses(ledger, [tile], { campaign });
    expect([...found.get(tile.id)!]).toEqual([["plumber@berlin", witness]]);
  });

  test("of a file counts for its campaign, until the file changes; earlier ones by what was searched", async () => {
    await using ledger = await openTestLedger();
    const { tile } = targets[0]!;
    const [munich, other] = ["munich", "other"].map((name) => ({ name, sourceFile: "a.jsonl" }));
    const write = (phrase: string, key: string | undefined, witness: Partial<Witness>) => {
      const field = key === undefined ? phrase : `${phrase}@${key}`;
      const value = { at: ago(1), found: 3, source, ...witness };
      const changes = [{ target: tileTarget(tile), field, value }];
      return ledger.write({ source: "system", changes });
    };
    await write("own", placeFileKey(munich!), { release: "r1" });
    await write("area", placeFileKey(munich!), { release: "r0", content: "c1" });
    await write("earlier", "file", { release: "r1" });
    await write("first", undefined, {});
    await write("mail@home", undefined, {});
    const states = async (one: typeof munich, release: string, content?: string) => {
      const seen = await readWitnesses(ledger, [tile], {
        campaign: one!,
        release: { release, content },
      });
      const ofTile = [...seen.get(tile.id)!.values()];
      const { freshness } = campaign;
      return [...seen.get(tile.id)!.keys()].map(
        (key, at) => `${key} ${witnessState(ofTile[at], freshness, nowMs)}`,
      );
    };
    const byName = ["first@file fresh"];
    expect(await states(munich, "r1", "c1")).toEqual(
      expect.arrayContaining([
        "own@file fresh",
        "area@file fresh",
        "earlier@file fresh",
        ...byName,
      ]),
    );
    expect(await states(other, "r1")).toEqual(
      expect.arrayContaining(["earlier@file fresh", ...byName]),
    );
    expect(await states(other, "r1")).not.toContain("own@file fresh");
    // Another file, though it has the same name, and the same file when it has changed.
    const others = (await states(other, "r2")).filter((one) => !byName.includes(one));
    expect(others).toEqual(["mail@home fresh"]);
    const changed = (await states(munich, "r2")).filter((one) => !byName.includes(one));
    expect(changed.toSorted()).toEqual([
      "area@file expired",
      "mail@home fresh",
      "own@file expired",
    ]);
  });

  test("lesson 42: an empty tile says so, and is searched again sooner", () => {
    const { freshness } = campaign;
    const state = (found: number, days: number) =>
      witnessState({ at: ago(days), found, source }, freshness, nowMs);
    expect(state(0, 1)).toBe("empty");
    expect(state(0, 13.9)).toBe("empty");
    expect(state(0, 14)).toBe("expired");
    expect(state(5, 14)).toBe("fresh");
    expect(state(5, 89.9)).toBe("fresh");
    expect(state(5, 90)).toBe("expired");
    expect(witnessState(undefined, freshness, nowMs)).toBe("none");
  });

  test("lesson 46: one from a clock that was far ahead keeps no tile from being searched", () => {
    const witness = (days: number): Witness => ({ at: ago(-days), found: 1, source });
    expect(witnessState(witness(0.5), campaign.freshness, nowMs)).toBe("fresh");
    expect(witnessState(witness(2), campaign.freshness, nowMs)).toBe("expired");
  });
});

describe("dispatch", () => {
  const anyWitness = fc.option(
    fc.record({ days: fc.double({ min: -3, max: 200, noNaN: true }), found: fc.nat(3) }),
    { nil: undefined },
  );

  test("asks for targets − fresh witnesses, exactly, and status counts the same", () => {
    fc.assert(
      fc.property(fc.array(anyWitness, { minLength: 24, maxLength: 24 }), (given) => {
        const witnesses = new Map<string, Map<string, Witness>>();
        for (const [index, { tile, phrase }] of targets.entries()) {
          const one = given[index];
          if (!one) continue;
          const known = witnesses.get(tile.id) ?? new Map<string, Witness>();
          witnesses.set(
            tile.id,
            known.set(`${phrase}@file`, {
              at: ago(one.days),
              found: one.found,
              source,
            }),
          );
        }
        const due = dueTargets({ targets, witnesses, freshness: campaign.freshness, nowMs });
        const wanted = targets.filter((_, index) => {
          const one = given[index];
          return !one || one.days < -1 || one.days >= (one.found > 0 ? 90 : 14);
        });
        expect(due.map(({ tile, phrase }) => ({ tile, phrase }))).toEqual(
          wanted.map(({ tile, phrase }) => ({ tile, phrase })),
        );
        const status = campaignStatus(campaign, targets, witnesses, nowMs);
        expect(status.expired + status.never).toBe(due.length);
        expect(status.fresh + status.empty + due.length).toBe(targets.length);
      }),
    );
  });

  test("a batch is the first ones, a canary batch is from all over, and both are part of the due", () => {
    const due = Array.from({ length: 100 }, (_, index) => index);
    expect(chooseBatch(due, { limit: 3 })).toEqual([0, 1, 2]);
    expect(chooseBatch(due, { limit: 4, isCanary: true })).toEqual([12, 37, 62, 87]);
    expect(chooseBatch(due, { limit: undefined })).toEqual(due);
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 70 }), (length, limit) => {
        const all = Array.from({ length }, (_, index) => index);
        const chosen = chooseBatch(all, { limit, isCanary: true });
        expect(new Set(chosen).size).toBe(Math.min(limit, length));
        expect(chosen.every((one) => all.includes(one))).toBe(true);
      }),
    );
  });

  test("twice is the same queue; when a witness has expired, there is a new question", async () => {
    const clock = createTestClock();
    const random = createSeededRandom(1);
    const now = () => ({ ms: clock.nowMs(), wallMs: clock.nowMs() });
    await using queue = createQueue({ store: createMemoryQueueStore({ now }), clock, random });
    const ask = (witnesses: ReadonlyMap<string, ReadonlyMap<string, Witness>>, content?: string) =>
      dispatch(
        queue,
        campaign,
        groupByTask(dueTargets({ targets, witnesses, freshness: campaign.freshness, nowMs })),
        { content },
      );
    const tiles = new Set(targets.map(({ tile }) => tile.id)).size;
    expect(await ask(new Map())).toMatchObject({ added: tiles, duplicate: 0 });
    expect(await ask(new Map())).toMatchObject({ added: 0, duplicate: tiles });
    const { tile, phrase } = targets[0]!;
    const old = new Map([
      [tile.id, new Map([[`${phrase}@file`, { at: ago(100), found: 1, source }]])],
    ]);
    expect(await ask(old)).toMatchObject({ added: 1, duplicate: tiles - 1 });
    expect(await ask(old)).toMatchObject({ added: 0, duplicate: tiles });
    // So is a file that has changed, though no witness has its earlier content.
    expect(await ask(new Map(), "r2")).toMatchObject({ added: tiles, duplicate: 0 });
    expect(await ask(new Map(), "r2")).toMatchObject({ added: 0, duplicate: tiles });
    expect(await queue.browse({ limit: 100 })).toHaveLength(2 * tiles + 1);
  });

  test("a task has all due phrases of one tile and source, and goes behind what companies need", async () => {
    const two = { ...campaign, imported: ["berlin"], sourceFile: "p.csv" };
    const due = dueTargets({
      targets: planTargets(two),
      witnesses: new Map(),
      freshness: campaign.freshness,
      nowMs,
    });
    const [first] = groupByTask(due);
    const { payload, priority, key } = discoverTask({ name: "munich" }, first!);
    expect(payload).toMatchObject({
      source: "file",
      due: campaign.phrases.map((phrase) => ({ phrase })),
    });
    expect(priority).toBeLessThan(500);
    expect(groupByTask(due)).toHaveLength(2 * new Set(targets.map(({ tile }) => tile.id)).size);
    expect(
      new Set(groupByTask(due).map((group) => discoverTask({ name: "munich" }, group).key)).has(
        key,
      ),
    ).toBe(true);
  });

  test("a tile in which its source has nothing is not asked for", () => {
    const [{ tile }] = targets as [Target];
    const due = dueTargets({
      targets,
      witnesses: new Map(),
      freshness: campaign.freshness,
      nowMs,
      mayHave: (target) => target.tile.id === tile.id,
    });
    expect(new Set(due.map((target) => target.tile.id))).toEqual(new Set([tile.id]));
  });

  test("rematch asks again for what was searched with other tags", () => {
    const [{ tile, phrase }] = targets as [Target];
    const fresh = { at: ago(1), found: 1, source, how: "old" };
    const witnesses = new Map([[tile.id, new Map([[`${phrase}@file`, fresh]])]]);
    const options = { targets, witnesses, freshness: campaign.freshness, nowMs };
    const isThere = (due: readonly Target[]) =>
      due.some((one) => one.tile.id === tile.id && one.phrase === phrase);
    expect(isThere(dueTargets(options))).toBe(false);
    expect(isThere(dueTargets({ ...options, isOutdated: (_, { how }) => how !== "new" }))).toBe(
      true,
    );
    expect(isThere(dueTargets({ ...options, isOutdated: (_, { how }) => how !== "old" }))).toBe(
      false,
    );
  });
});
