import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { createLease } from "../../bucket/index.ts";
import type { Ledger } from "../ledger.ts";
import { compact } from "../tiers/hub/hub.ts";
import { hubLease } from "../tiers/keys.ts";
import { openTestLedger, valuesOf } from "../testing/test-ledger.ts";

const source = "site:https://a.b";
const set = (ledger: Ledger, value: unknown, target = "company/a") =>
  ledger.write({ source, changes: [{ target, field: "f", value }] });

function createFleet() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const sync = (ledger: Ledger) => ledger.withBucket(bucket).sync();
  return { clock, bucket, sync };
}

/** Everything that one may send goes to the other. */
async function pass(from: Ledger, to: Ledger): Promise<void> {
  for (const origin of from.exchange.vector().keys()) {
    const ask = { origin, from: 1, to: Infinity, bytesMax: Infinity };
    const range = await from.exchange.read(ask);
    if (range) await to.exchange.receive(range);
  }
}
const reported = ({ exchange }: Ledger) => [...exchange.vector().values()];

describe("an exchange in a fleet with a bucket", () => {
  test("lessons 46, 47: a node that knows a bucket advertises its writes once it has reached the bucket again", async () => {
    const { clock, sync } = createFleet();
    const files = new Map<string, Uint8Array>();
    {
      await using ledger = await openTestLedger({ files, clock });
      await set(ledger, 1);
      expect(reported(ledger)).toEqual([1]); // it has never met one
      await sync(ledger);
      await set(ledger, 2);
      expect(reported(ledger)).toEqual([2]);
    }
    await using next = await openTestLedger({ files, clock });
    const followed: number[] = [];
    next.exchange.follow(({ from }) => followed.push(from));
    await set(next, 3);
    // Of the life before what the bucket has; of this one nothing.
    expect(reported(next)).toEqual([1]);
    const [origin] = next.exchange.vector().keys();
    const ask = { origin: origin!, from: 1, to: 9, bytesMax: Infinity };
    expect((await next.exchange.read(ask))!.records).toHaveLength(1);
    await sync(next);
    expect(reported(next)).toEqual([2, 1]);
    expect(followed).toEqual([]);
    await set(next, 4);
    expect([followed, reported(next)]).toEqual([[2], [2, 2]]);
  });

  test("lesson 47: a cloned disk sends nothing before it has an id of its own", async () => {
    const { clock, sync } = createFleet();
    const files = new Map<string, Uint8Array>();
    await using first = await openTestLedger({ files, clock });
    await set(first, 1);
    await sync(first);
    const copy = new Map([...files].map(([name, bytes]) => [name, bytes.slice()]));
    await using clone = await openTestLedger({ files: copy, clock });
    // The original continues, also after a restart.
    await set(first, 2);
    await sync(first);
    await using other = await openTestLedger({ clock });
    await set(clone, "of the clone", "company/b");
    await pass(clone, other);
    expect(await valuesOf(other, "company/b")).toEqual({});
    expect((await sync(clone)).moved).toBe(1);
    expect(clone.node()).not.toBe(first.node());
    await pass(clone, other);
    await pass(first, other);
    expect(await valuesOf(other, "company/b")).toEqual({ f: "of the clone" });
    await sync(other);
    await sync(first);
    await sync(clone);
    expect(new Set([await first.digest(), await clone.digest(), await other.digest()]).size).toBe(
      1,
    );
  });

  test("lesson 46: writes of a wrong clock are not advertised, until the clock is right", async () => {
    const { clock, sync } = createFleet();
    const files = new Map<string, Uint8Array>();
    {
      await using ledger = await openTestLedger({ files, clock });
      await set(ledger, 1);
      await sync(ledger);
    }
    const odd = createTestClock();
    odd.step(clock.nowMs() - odd.nowMs() + 7_200_000);
    await using ledger = await openTestLedger({ files, clock: odd });
    await using other = await openTestLedger({ clock });
    await set(ledger, 2);
    await pass(ledger, other);
    expect(other.quarantine()).toEqual([]);
    expect((await sync(ledger)).moved).toBe(1);
    await pass(ledger, other);
    expect(other.quarantine()).toEqual([]);
    expect(await valuesOf(other, "company/a")).toEqual({ f: 2 });
  });

  test("what was advertised with a wrong clock before there was a bucket, and re-stamped since, is not published again and again", async () => {
    const { clock, sync } = createFleet();
    const odd = createTestClock();
    odd.step(clock.nowMs() - odd.nowMs() + 7_200_000);
    const files = new Map<string, Uint8Array>();
    await using other = await openTestLedger({ clock });
    {
      await using ledger = await openTestLedger({ files, clock: odd });
      await set(ledger, "ahead");
      await pass(ledger, other);
      expect(other.quarantine()).toHaveLength(1);
      expect((await sync(ledger)).moved).toBe(1);
      await pass(other, ledger);
      expect(ledger.status()).toMatchObject({ unpublished: 0, quarantined: 1 });
      expect((await sync(ledger)).moved).toBe(0);
    }
    await using next = await openTestLedger({ files, clock });
    expect(next.status()).toMatchObject({ unpublished: 0, quarantined: 1 });
    await set(next, "later");
    expect(await sync(next)).toMatchObject({ moved: 0, published: 1 });
    await pass(next, other);
    expect(await other.digest()).toBe(await next.digest());
    expect(await valuesOf(other, "company/a")).toEqual({ f: "later" });
  });

  test("a disk that was set back gets its own lost writes from others, and brings them to the bucket", async () => {
    const { clock, sync } = createFleet();
    const files = new Map<string, Uint8Array>();
    await using other = await openTestLedger({ clock });
    let backup = new Map<string, Uint8Array>();
    {
      await using ledger = await openTestLedger({ files, clock });
      await set(ledger, 1);
      backup = new Map([...files].map(([name, bytes]) => [name, bytes.slice()]));
      await set(ledger, 2);
      await pass(ledger, other);
    }
    await using restored = await openTestLedger({ files: backup, clock });
    expect(await valuesOf(restored, "company/a")).toEqual({ f: 1 });
    await pass(other, restored);
    expect(await restored.digest()).toBe(await other.digest());
    expect(await sync(restored)).toMatchObject({ published: 2, moved: 0 });
  });

  test("what a checkpoint has is not held any more; what came since is", async () => {
    const { clock, bucket, sync } = createFleet();
    await using ledger = await openTestLedger({ clock });
    await set(ledger, 1);
    await sync(ledger);
    const options = { bucket, clock, random: createSeededRandom(3), log: silentLogger };
    const lease = createLease({ ...options, name: hubLease, owner: "h" });
    const taken = await lease.acquire();
    const epoch = taken.status === "held" ? taken.epoch : 0;
    await compact({ ...options, owner: "h", lease, epoch, isHeld: () => lease.isHeld() });
    expect((await sync(ledger)).adopted).toBe(1);
    await set(ledger, 2);
    const [origin] = ledger.exchange.vector().keys();
    const read = (from: number) =>
      ledger.exchange.read({ origin: origin!, from, to: 9, bytesMax: Infinity });
    expect(await read(1)).toBeUndefined();
    expect(await read(2)).toMatchObject({ from: 2, records: { length: 1 } });
  });

  test("what others sent up to the middle of a segment continues from there", async () => {
    const { clock, sync } = createFleet();
    await using author = await openTestLedger({ clock });
    await using other = await openTestLedger({ clock });
    for (let index = 0; index < 5; index++) await set(author, index);
    await sync(author);
    for (let index = 5; index < 9; index++) await set(author, index);
    await sync(author); // segments 1 to 5 and 6 to 9
    for (const upTo of [3, 7]) {
      const [origin] = author.exchange.vector().keys();
      const from = (other.exchange.vector().get(origin!) ?? 0) + 1;
      const ask = { origin: origin!, from, to: upTo, bytesMax: Infinity };
      await other.exchange.receive((await author.exchange.read(ask))!);
      expect(reported(other)).toEqual([upTo]);
    }
    expect(await sync(other)).toMatchObject({ pulled: 2, faults: [] });
    expect(await other.digest()).toBe(await author.digest());
    await using third = await openTestLedger({ clock });
    const [origin] = author.exchange.vector().keys();
    const ask = { origin: origin!, from: 1, to: 3, bytesMax: Infinity };
    await third.exchange.receive((await author.exchange.read(ask))!);
    expect(await sync(third)).toMatchObject({ pulled: 6, faults: [] });
    expect(await third.digest()).toBe(await author.digest());
  });

  test("what came by the bucket and by others at once is taken once", async () => {
    const { clock, sync } = createFleet();
    const files = new Map<string, Uint8Array>();
    await using author = await openTestLedger({ clock });
    await using other = await openTestLedger({ clock, files });
    for (let index = 0; index < 20; index++) await set(author, index);
    await sync(author);
    await Promise.all([sync(other), pass(author, other)]);
    expect(await other.log({ from: 0, limit: Infinity })).toHaveLength(20);
    await using again = await openTestLedger({ files: new Map(files) });
    expect(await again.log({ from: 0, limit: Infinity })).toHaveLength(20);
    const journal = [...files].find(([name]) => name.startsWith("wal/"))![1];
    expect(Buffer.from(journal).toString().split("\u001e\n")).toHaveLength(22);
  });
});
