import { describe, expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { createFaultyBucket, createMeter, type Bucket } from "../bucket/index.ts";
import { openTestLedger } from "../ledger/testing/test-ledger.ts";
import { parseAssignment, type NodeDesired } from "./assignments.ts";
import type { AppliedRevision } from "./heartbeat.ts";
import { desiredKey, openDesiredObject } from "./desired-object.ts";
import { createFollower, type Applied, type FollowerOptions } from "./follower.ts";
import { auditCommand, readCommands } from "./ledger-commands.ts";
import { commanded, joined, nothingDesired, type DesiredState } from "./desired-state.ts";
import { desiredInBucket, desiredInLedger } from "./desired-sources.ts";

const node = "0000000000001";
const other = "0000000000002";

function createPlace() {
  const clock = createTestClock();
  const meter = createMeter();
  const random = createSeededRandom(3);
  const store = createMemoryBucket({ clock });
  const openObject = (session: string, bucket: Bucket = store) =>
    openDesiredObject({ bucket: meter.meter(bucket, session), session, clock, random });
  const operator = openObject("operator");
  const commandOf = (scope: string, words: readonly string[]) => ({
    scopes: [scope],
    assignments: words.map((word) => parseAssignment(word, () => undefined)),
    by: "hand:anna",
    atMs: clock.nowMs(),
  });
  const set = (scope: string, ...words: string[]) =>
    operator.change((desired = nothingDesired) => commanded(desired, commandOf(scope, words)));
  return { clock, meter, random, store, openObject, commandOf, set };
}

type Place = ReturnType<typeof createPlace>;

function follow({ clock, random, openObject }: Place, more: Partial<FollowerOptions> = {}) {
  const seen: NodeDesired[] = [];
  const acknowledged: AppliedRevision[] = [];
  const said: Uint8Array[] = [];
  const follower = createFollower({
    node: () => node,
    sources: [desiredInBucket(openObject("follower"))],
    apply: async (desired): Promise<Applied> => {
      seen.push(desired);
      return { what: desired.state, faults: desired.faults };
    },
    onApplied: (applied) => void acknowledged.push(applied),
    publish: (bytes) => void said.push(bytes),
    clock,
    random,
    log: silentLogger,
    ...more,
  });
  return { follower, seen, acknowledged, said };
}

describe("by the bucket alone", () => {
  test("a command is applied and acknowledged within 13 seconds, once", async () => {
    const place = createPlace();
    const { follower, seen, acknowledged } = follow(place);
    await follower.start();
    expect(acknowledged).toEqual([]);
    await place.set("all", "pause", "workers.enrich=4");
    await place.clock.advance(13_000);
    expect(seen).toMatchObject([{ state: "paused" }]);
    expect(seen[0]!.workers).toEqual(new Map([["enrich", "4"]]));
    expect(acknowledged).toMatchObject([{ revision: 1, isApplied: true, what: "paused" }]);
    await place.clock.advance(600_000);
    expect([seen.length, acknowledged.length]).toEqual([1, 1]);
    await follower.stop();
  });

  test("a node that looks and finds nothing new costs one conditional GET every 12 to 13 seconds", async () => {
    const place = createPlace();
    await place.set("all", "pause");
    const { follower } = follow(place);
    await follower.start();
    const before = place.meter.usage("follower");
    await place.clock.advance(3_600_000);
    const { get, putIfMatch, put, list } = place.meter.usage("follower");
    expect(get.requests - before.get.requests).toBeGreaterThanOrEqual(276);
    expect(get.requests - before.get.requests).toBeLessThanOrEqual(308);
    expect(get.bytesReceived).toBe(before.get.bytesReceived);
    expect(putIfMatch.requests + put.requests + list.requests).toBe(0);
    await follower.stop();
  });

  test("what is meant for another node is acknowledged with the next heartbeat, and changes nothing", async () => {
    const place = createPlace();
    const { follower, seen, acknowledged } = follow(place);
    await follower.start();
    await place.set(node, "pause");
    await place.clock.advance(13_000);
    await place.set(other, "drain");
    await place.clock.advance(13_000);
    expect(seen.map(({ state }) => state)).toEqual(["paused"]);
    expect(acknowledged).toHaveLength(1);
    expect(follower.applied()).toMatchObject({ revision: 2, what: "paused" });
    await follower.stop();
  });

  test("what failed is acknowledged as failed, tried again each minute, and then acknowledged", async () => {
    const place = createPlace();
    let faults = ["there is no campaign austin here"];
    const { follower, acknowledged } = follow(place, {
      apply: async () => ({ what: "done", faults }),
    });
    await follower.start();
    await place.set("all", "campaign.austin.proximityKm=20");
    await place.clock.advance(180_000);
    expect(acknowledged).toMatchObject([
      { revision: 1, isApplied: false, what: "there is no campaign austin here" },
    ]);
    faults = [];
    await place.clock.advance(60_000);
    expect(acknowledged.at(-1)).toMatchObject({ revision: 1, isApplied: true, what: "done" });
    await follower.stop();
  });

  test("a throw is a failed acknowledgement, and does not end the following", async () => {
    const place = createPlace();
    let isBroken = true;
    const { follower, acknowledged } = follow(place, {
      apply: async () => {
        if (isBroken) throw new Error("no memory");
        return { what: "fine", faults: [] };
      },
    });
    await follower.start();
    await place.set("all", "pause");
    await place.clock.advance(13_000);
    isBroken = false;
    await place.set("all", "resume");
    await place.clock.advance(13_000);
    expect(acknowledged).toMatchObject([
      { revision: 1, isApplied: false, what: "no memory" },
      { revision: 2, isApplied: true },
    ]);
    await follower.stop();
  });

  test("what was wanted is kept over a restart without a network, and counts before work begins", async () => {
    const place = createPlace();
    let kept: DesiredState | undefined;
    const memory = {
      read: async () => kept,
      write: async (desired: DesiredState) => void (kept = desired),
    };
    const first = follow(place, { memory });
    await first.follower.start();
    await place.set("all", "pause");
    await place.clock.advance(13_000);
    await first.follower.stop();
    const down = { name: "bucket", everyMs: 10_000, read: () => new Promise<never>(() => {}) };
    const next = follow(place, { memory, sources: [down] });
    const starting = next.follower.start();
    await place.clock.advance(5_000);
    await starting;
    expect(next.seen.map(({ state }) => state)).toEqual(["paused"]);
  });

  test("lesson 31: lost answers: no command is lost, none is applied twice", async () => {
    const place = createPlace();
    const { clock, store } = place;
    const random = createSeededRandom(11);
    const bucket = createFaultyBucket({
      bucket: store,
      clock,
      random,
      faults: { lostAnswer: 0.3, lateLanding: 0.1, lateMsMax: 2_000 },
    });
    const operators = [1, 2, 3].map((at) => place.openObject(`operator-${at}`, bucket));
    const commands = 20;
    const work = operators.map(async (object, at) => {
      for (let number = 0; number < commands; number++) {
        await object.change((desired = nothingDesired) =>
          commanded(desired, place.commandOf("all", [`workers.k${at}-${number}=1`])),
        );
      }
    });
    let isDone = false;
    void Promise.all(work).then(() => (isDone = true));
    for (let second = 0; second < 3_000 && !isDone; second++) await clock.advance(1_000);
    expect(isDone).toBe(true);
    const desired = (await place.openObject("reader").read())!;
    expect(Object.keys(desired.scopes["all"]!)).toHaveLength(60);
    expect(desired.revision).toBe(60);
  });

  test("an object that is not a desired state is reported and not applied", async () => {
    const place = createPlace();
    const { follower, seen } = follow(place);
    await follower.start();
    const body = { format: 1, commits: {}, value: { revision: 9, scopes: { "../x": {} } } };
    await place.store.put(desiredKey, Buffer.from(JSON.stringify(body)));
    await place.clock.advance(60_000);
    expect(seen).toEqual([]);
    expect(follower.desired().revision).toBe(0);
    await follower.stop();
  });
});

describe("by gossip", () => {
  test("lesson 25: what one node publishes, the others receive and apply at once", async () => {
    const place = createPlace();
    const teller = follow(place);
    const hearer = follow(place, { sources: [] });
    await teller.follower.start();
    await hearer.follower.start();
    await place.set(node, "pause");
    await place.clock.advance(13_000);
    expect(teller.said).toHaveLength(1);
    hearer.follower.receiveHint(teller.said[0]!);
    await place.clock.advance(0);
    expect(hearer.seen.map(({ state }) => state)).toEqual(["paused"]);
    expect(hearer.acknowledged).toMatchObject([{ revision: 1, isApplied: true }]);
    for (const { follower } of [teller, hearer]) await follower.stop();
  });

  test("a hint with a hole before it is not acknowledged: the bucket is asked for all of it at once", async () => {
    const place = createPlace();
    const teller = follow(place);
    await teller.follower.start();
    await place.set(node, "workers.enrich=4");
    await place.clock.advance(13_000);
    await place.set(node, "pause");
    await place.clock.advance(13_000);
    const [, second] = teller.said;
    const hearer = follow(place);
    const deaf = follow(place, { sources: [] });
    // As if both had begun before the first command, and missed its hint.
    for (const { follower } of [hearer, deaf]) follower.receiveHint(second!);
    await place.clock.advance(0);
    expect(hearer.seen.map(({ state, workers }) => [state, workers.get("enrich")])).toEqual([
      ["paused", "4"],
    ]);
    expect(deaf.acknowledged).toEqual([]);
    await teller.follower.stop();
  });
});

describe("without a bucket", () => {
  test("B11: a command is audited in the ledger by who, what and when, and followed from there", async () => {
    const place = createPlace();
    await using ledger = await openTestLedger({ clock: place.clock });
    const { follower, seen, acknowledged } = follow(place, {
      node: () => ledger.node(),
      sources: [desiredInLedger(ledger)],
    });
    await follower.start();
    const desired = commanded(nothingDesired, place.commandOf(ledger.node(), ["pause"]));
    expect(await auditCommand(ledger, desired, 1)).toBe(1);
    await place.clock.advance(250);
    expect(seen.map(({ state }) => state)).toEqual(["paused"]);
    expect(acknowledged).toMatchObject([{ revision: 1 }]);
    const { fields } = await ledger.read(`fleet/${ledger.node()}`);
    expect(fields).toMatchObject([
      { field: "state", value: { value: "paused", revision: 1 }, source: "hand:anna" },
    ]);
    expect(await readCommands(ledger, [ledger.node()])).toEqual(desired);
    await follower.stop();
  });

  test("the next revision counts over what the ledger knows; odd facts there are skipped", async () => {
    const place = createPlace();
    await using ledger = await openTestLedger({ clock: place.clock });
    let desired = nothingDesired;
    for (const word of ["pause", "resume", "workers.enrich=2"]) {
      const known = joined(desired, await readCommands(ledger, [node]));
      desired = commanded(known, place.commandOf(node, [word]));
      await auditCommand(ledger, desired, desired.revision);
    }
    expect(desired.revision).toBe(3);
    const source = "hand:bob";
    const odd = [1, "x", { revision: "many" }, { value: 1, revision: -5, atMs: 0 }];
    const changes = odd.map((value, at) => ({ target: "fleet/all", field: `odd${at}`, value }));
    await ledger.write({ source, changes });
    expect(await readCommands(ledger, [node])).toEqual(desired);
  });
});
