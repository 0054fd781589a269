import { describe, expect, test } from "vitest";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket, type MemoryObject } from "../bucket/adapters/memory/memory-bucket.ts";
import { createLease } from "../bucket/index.ts";
import { openTestLedger } from "./testing/test-ledger.ts";
import { compact } from "./tiers/hub/hub.ts";
import { hubLease } from "./tiers/keys.ts";
import { findCopies, scrubNow } from "./tiers/hub/scrub.ts";

const target = "company/a";
const source = "hand:anna";
const secret = "Secret Ltd";
const changes = [
  { target, field: "name", value: secret },
  { target, field: "domain", value: "secret.example" },
  { target, field: "email/boss@secret.example", value: true },
  { target: "company/b", field: "name", value: "stays" },
];

function createFleet() {
  const clock = createTestClock();
  const objects = new Map<string, MemoryObject>();
  const bucket = createMemoryBucket({ clock, objects });
  const random = createSeededRandom(7);
  const lease = createLease({ bucket, name: hubLease, owner: "h", clock, random });
  const fold = async () => {
    if (!lease.isHeld()) await lease.acquire();
    const epoch = lease.epoch()!;
    const [log, graceMs, isHeld] = [silentLogger, 0, () => lease.isHeld()];
    return compact({ bucket, clock, random, log, owner: "h", lease, epoch, graceMs, isHeld });
  };
  const holders = () =>
    [...objects].filter(([, { body }]) => holds(body)).map(([key]) => key.split("/")[1]);
  return { clock, bucket, fold, holders };
}
const holds = (body: Uint8Array) => /Secret Ltd|secret\.example/.test(Buffer.from(body).toString());

describe("forget", () => {
  test("takes it out of the journal, keeps the others, and the numbers have no gap", async () => {
    const files = new Map<string, Uint8Array>();
    await using ledger = await openTestLedger({ files });
    await ledger.write({ source: "site:https://a.b", changes });
    expect(await ledger.forget({ target, source })).toBe(3);
    expect([...files.values()].some(holds)).toBe(false);
    expect(await ledger.read(target)).toMatchObject({ isForgotten: true, fields: [] });
    expect((await ledger.read("company/b")).fields).toMatchObject([{ value: "stays" }]);
    await using again = await openTestLedger({ files });
    expect(await again.digest()).toBe(await ledger.digest());
    expect(again.status().stranded).toBe(0);
    expect(await again.unscrubbed()).toBe(0);
  });

  test("crawls and imports find out by what it was known by, until it is unforgotten", async () => {
    await using ledger = await openTestLedger();
    await ledger.write({ source: "site:https://a.b", changes });
    await ledger.forget({ target, source });
    expect(await ledger.suppressed(["domain:Secret.example"])).toEqual(["domain:Secret.example"]);
    expect(await ledger.suppressed(["email:boss@secret.example"])).toEqual([
      "email:boss@secret.example",
    ]);
    expect(await ledger.suppressed(["domain:other.example"])).toEqual([]);
    await ledger.write({ source: "site:https://a.b", changes: changes.slice(0, 1) });
    expect((await ledger.read(target)).fields).toEqual([]);
    await ledger.unforget({ target, source });
    expect(await ledger.suppressed(["domain:secret.example"])).toEqual([]);
    expect((await ledger.read(target)).fields).toEqual([]);
    await ledger.write({ source, changes: [{ target, field: "name", value: "anew" }] });
    expect((await ledger.read(target)).fields).toMatchObject([{ value: "anew" }]);
  });

  test("a place that is named twice is remembered once", async () => {
    await using ledger = await openTestLedger();
    const places = [
      { target, field: "place", value: "osm/node/2" },
      { target, field: "place/osm/node/2", value: {} },
    ];
    await ledger.write({ source, changes: places });
    await ledger.forget({ target, source });
    expect(await ledger.suppressed(["place:osm/node/2"])).toEqual(["place:osm/node/2"]);
  });

  test("checkpoint, prune and archive lose it too, and the status says what is left", async () => {
    const { clock, bucket, fold, holders } = createFleet();
    await using ledger = await openTestLedger({ clock });
    await using other = await openTestLedger({ clock });
    const touch = async (value: number) => {
      await other.write({ source, changes: [{ target: "company/b", field: "n", value }] });
      await other.withBucket(bucket).sync();
      await clock.advance(10);
      await fold();
    };
    await ledger.write({ source: "site:https://a.b", changes });
    await ledger.withBucket(bucket).sync();
    await fold();
    await touch(1);
    await touch(2);
    expect(new Set(holders())).toEqual(new Set(["archive", "part"]));

    await ledger.withBucket(bucket).sync();
    await ledger.forget({ target, source });
    // The checkpoint that this node stands on is replaced by the next one.
    expect(await ledger.unscrubbed()).toBe(3);
    await ledger.withBucket(bucket).sync();
    await fold();
    await scrubNow(bucket);
    expect(await findCopies(bucket, target)).toEqual({ segments: 0, archive: 0, checkpoints: [3] });
    await touch(3);
    await touch(4);
    expect(holders()).toEqual([]);
    expect(await findCopies(bucket, target)).toEqual({ segments: 0, archive: 0, checkpoints: [] });
    await ledger.withBucket(bucket).sync();
    expect(await ledger.unscrubbed()).toBe(0);
    await other.withBucket(bucket).sync();
    expect(await other.digest()).toBe(await ledger.digest());
    expect(await other.read(target)).toMatchObject({ isForgotten: true, fields: [] });
  });

  test("what a node wrote before it knew is hidden, is counted, and goes when it is forgotten again", async () => {
    const { clock, bucket } = createFleet();
    const files = new Map<string, Uint8Array>();
    await using ledger = await openTestLedger({ clock, files });
    await using other = await openTestLedger({ clock });
    const exchange = async () => {
      for (const one of [ledger, other, ledger]) await one.withBucket(bucket).sync();
    };
    await ledger.write({ source: "site:https://a.b", changes: changes.slice(3) });
    await ledger.write({ source, changes: [{ target, field: "name", value: "first" }] });
    await exchange();
    await ledger.forget({ target, source });
    await clock.advance(10);
    await other.write({ source: "site:https://a.b", changes });
    await exchange();
    expect((await ledger.read(target)).fields).toEqual([]);
    expect([...files.values()].some(holds)).toBe(true);
    expect(await ledger.unscrubbed()).toBe(3);
    expect(await ledger.forget({ target, source })).toBe(3);
    expect([...files.values()].some(holds)).toBe(false);
    expect(await ledger.unscrubbed()).toBe(0);
    expect(await ledger.suppressed(["domain:secret.example"])).toHaveLength(1);
    await exchange();
    expect(await other.digest()).toBe(await ledger.digest());
    expect(await other.scrub()).toBe(4);
    expect(await other.unscrubbed()).toBe(0);
    // Nothing is left to take, so nothing is written.
    const vector = [...ledger.vector()];
    expect(await ledger.forget({ target, source })).toBe(0);
    expect([...ledger.vector()]).toEqual(vector);
    await ledger.unforget({ target, source });
    expect(await ledger.suppressed(["domain:secret.example"])).toEqual([]);
  });
});
