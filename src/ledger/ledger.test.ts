import { describe, expect, test } from "vitest";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { silentLogger } from "../base/log/logger.ts";
import { createSeededRandom } from "../base/random.ts";
import { mergeChanges } from "./replica/read-target.ts";
import { openTestLedger, valuesOf } from "./testing/test-ledger.ts";
import { compactOnce } from "./tiers/hub/hub.ts";

const target = "company/a";
const site = "site:https://a.b";

describe("a ledger", () => {
  test("WAL append: what was written is read back, typed, also by the next life", async () => {
    const files = new Map<string, Uint8Array>();
    const values = {
      name: "Zum Löwen",
      rating: 4.5,
      open: true,
      tags: ["a", "b"],
      hours: { mo: 8 },
    };
    {
      await using ledger = await openTestLedger({ files });
      const changes = Object.entries(values).map(([field, value]) => ({ target, field, value }));
      const { datagrams } = await ledger.write({ source: site, changes });
      expect(datagrams.map(({ number, commit }) => [number, commit])).toEqual(
        [1, 2, 3, 4, 5].map((number) => [number, 5]),
      );
    }
    expect([...files.keys()].filter((name) => name.startsWith("wal/"))).toHaveLength(1);
    await using ledger = await openTestLedger({ files });
    expect(await valuesOf(ledger, target)).toEqual(values);
  });

  test("many are read as each alone: from checkpoint and journal, merged ones and none at all", async () => {
    const clock = createTestClock();
    const bucket = createMemoryBucket({ clock });
    await using ledger = await openTestLedger({ clock });
    const say = (about: string, field: string, value: unknown) =>
      ledger.write({ source: site, changes: [{ target: about, field, value }] });
    const targets = Array.from({ length: 600 }, (_, at) => `company/${at}`);
    for (const about of targets.slice(0, 400)) await say(about, "name", `old ${about}`);
    await ledger.withBucket(bucket).sync();
    const parts = { bucket, clock, random: createSeededRandom(5), log: silentLogger, owner: "hub" };
    let isDone = false;
    const done = compactOnce(parts).finally(() => (isDone = true));
    while (!isDone) await clock.advance(1_000);
    expect(await done).toMatchObject({ status: "done" });
    await ledger.withBucket(bucket).sync();
    expect(ledger.status()).toMatchObject({ checkpoint: 1, datagramsSinceCheckpoint: 0 });
    for (const about of targets.slice(300)) await say(about, "city", "Köln");
    await ledger.write({ source: site, changes: mergeChanges("company/1", "company/2") });
    await say("company/1", "phone", "+491");
    const asked = [...targets, "company/nobody", "company/2", "company/2"];
    const each = [];
    for (const one of asked) each.push(await ledger.read(one));
    expect(await ledger.readAll(asked)).toEqual(each);
    const merged = each.at(-1)!.fields.find(({ field }) => field === "phone");
    expect(merged?.value).toBe("+491");
    expect(await ledger.readAll([])).toEqual([]);
  });

  test("lesson 35: what changes nothing is not logged", async () => {
    await using ledger = await openTestLedger();
    const write = async (value: unknown, source = site) =>
      (await ledger.write({ source, changes: [{ target, field: "phone", value }] })).datagrams
        .length;
    expect(await write({ b: 1, a: 2 })).toBe(1);
    expect(await write({ a: 2, b: 1 })).toBe(0);
    expect(await write({ a: 2, b: 1 }, "hand:anna")).toBe(0);
    expect(await write("2", "hand:anna")).toBe(1);
    expect(await write("3")).toBe(1);
    expect(await write("3")).toBe(0);
    expect(await valuesOf(ledger, target)).toEqual({ phone: "2" });
  });

  test("lessons 40 and 42: unknown never overwrites known, only an unset removes", async () => {
    await using ledger = await openTestLedger();
    const write = async (more: object) =>
      (await ledger.write({ source: site, changes: [{ target, field: "phone", ...more }] }))
        .datagrams.length;
    await write({ value: "1" });
    expect(await write({ value: null })).toBe(0);
    expect(await write({})).toBe(0);
    expect(await valuesOf(ledger, target)).toEqual({ phone: "1" });
    expect(await write({ unset: true })).toBe(1);
    expect(await write({ unset: true })).toBe(0);
    expect(await valuesOf(ledger, target)).toEqual({});
  });

  test("writes of one moment each see the one before", async () => {
    await using ledger = await openTestLedger();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ledger.write({ source: site, changes: [{ target, field: "n", value: index % 5 }] }),
      ),
    );
    const datagrams = all.flatMap((one) => one.datagrams);
    expect(datagrams.map(({ number }) => number)).toEqual(datagrams.map((_, index) => index + 1));
    const stamps = datagrams.map(({ stamp }) => stamp);
    expect(stamps).toEqual(stamps.toSorted());
    expect(new Set(stamps).size).toBe(stamps.length);
    expect((await ledger.read(target)).conflicts).toEqual([]);
  });

  test("lesson 46: the clock does not fall back behind a former life's", async () => {
    const files = new Map<string, Uint8Array>();
    const clock = createTestClock();
    const write = async (value: string) => {
      await using ledger = await openTestLedger({ files, clock });
      return (await ledger.write({ source: site, changes: [{ target, field: "f", value }] }))
        .datagrams[0]!.stamp;
    };
    const first = await write("before");
    clock.step(-30 * 365 * 86_400_000); // a machine without a battery
    expect((await write("after")) > first).toBe(true);
    await using ledger = await openTestLedger({ files, clock });
    expect(await valuesOf(ledger, target)).toEqual({ f: "after" });
  });

  test("what was merged into another counts there from then on, also through two", async () => {
    await using ledger = await openTestLedger();
    const set = (of: string, field: string, value: string) =>
      ledger.write({ source: site, changes: [{ target: of, field, value }] });
    await set("company/old", "phone", "before");
    await set("company/new", "phone", "own");
    await ledger.write({
      source: "hand:anna",
      changes: mergeChanges("company/old", "company/new"),
    });
    expect((await valuesOf(ledger, "company/new"))["phone"]).toBe("own");
    await set("company/old", "phone", "later");
    expect((await valuesOf(ledger, "company/new"))["phone"]).toBe("later");
    expect((await ledger.read("company/old")).mergedInto).toBe("company/new");
    await ledger.write({ source: "hand:anna", changes: mergeChanges("company/x", "company/old") });
    await set("company/x", "email/a@b.c", "found");
    expect((await valuesOf(ledger, "company/new"))["email/a@b.c"]).toBe("found");
    // A circle ends.
    await ledger.write({ source: "hand:anna", changes: mergeChanges("company/new", "company/x") });
    expect((await valuesOf(ledger, "company/new"))["phone"]).toBe("later");
  });
});

describe("two nodes and a bucket", () => {
  const start = async () => {
    const clock = createTestClock();
    const bucket = createMemoryBucket({ clock });
    const [a, b] = [await openTestLedger({ clock }), await openTestLedger({ clock })];
    const syncs = [a.withBucket(bucket), b.withBucket(bucket)];
    const syncAll = async () => {
      for (const sync of [...syncs, ...syncs]) await sync.sync();
    };
    return { clock, bucket, a, b, syncAll };
  };

  test("come to the same bytes, and keep the write that lost unseen", async () => {
    const { a, b, syncAll } = await start();
    const set = (ledger: typeof a, value: string) =>
      ledger.write({ source: "hand:anna", changes: [{ target, field: "phone", value }] });
    await set(a, "from a");
    await set(b, "from b");
    await syncAll();
    expect(await a.digest()).toBe(await b.digest());
    const [conflict] = (await a.conflicts({ limit: 9 })).conflicts;
    expect(conflict).toMatchObject({ target, field: "phone" });
    const shown = (await valuesOf(a, target))["phone"];
    expect(new Set([conflict!.value, shown])).toEqual(new Set(["from a", "from b"]));
    await a.restore({ target, dot: conflict!.dot, source: "hand:bob" });
    await syncAll();
    expect((await valuesOf(b, target))["phone"]).toBe(conflict!.value);
    expect(await b.conflicts({ limit: 9 })).toEqual(await a.conflicts({ limit: 9 }));
    expect(await a.digest()).toBe(await b.digest());
  });
});
