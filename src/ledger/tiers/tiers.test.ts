import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { dotOf } from "../datagram/datagram.ts";
import { createMemoryDisk } from "../testing/memory-disk.ts";
import { openLedger } from "../ledger.ts";
import { createTestFleet, fleetGraceMs, fleetTarget } from "../testing/test-fleet.ts";
import { openTestLedger, valuesOf } from "../testing/test-ledger.ts";
import { readArchive, viewAt } from "../history.ts";
import { boundaryKey, headKey, manifestKey, parseManifestKey } from "./keys.ts";
import { findNewestManifest } from "./manifest.ts";

const target = fleetTarget;
const graceMs = fleetGraceMs;

const passTime = async (clock: TestClock, ms: number) => clock.advance(ms);

describe("durability", () => {
  test("segments hold whole commits, named by their first number; the head says how far", async () => {
    const { set, sync, keys, objects } = createTestFleet();
    await using ledger = await openTestLedger();
    await set(ledger, 1);
    await sync(ledger);
    await set(ledger, 2);
    await set(ledger, 3);
    expect((await sync(ledger)).published).toBe(2);
    expect(keys("ledger/wal/").map((key) => key.slice(-16))).toEqual([
      "000000000001.usv",
      "000000000002.usv",
    ]);
    const head = JSON.parse(Buffer.from(objects.get(headKey(ledger.node()))!.body).toString());
    expect(head).toMatchObject({ format: 1, sessions: [{ number: 3, isComplete: false }] });
    expect((await sync(ledger)).published).toBe(0);
  });

  test("lesson 46: stamps that were ahead are re-stamped before anyone sees them", async () => {
    const { clock, set, sync, bucket } = createTestFleet();
    const own = createTestClock();
    own.step(clock.nowMs() - own.nowMs() + 400 * 86_400_000); // its battery is odd
    const files = new Map<string, Uint8Array>();
    await using ledger = await openTestLedger({ files, clock: own });
    await set(ledger, "first");
    await set(ledger, "second");
    const { moved, published } = await sync(ledger);
    expect({ moved, published }).toEqual({ moved: 2, published: 2 });
    const nowText = new Date(clock.nowMs() + 60_000).toISOString();
    for await (const { stamp } of readArchive(bucket)) expect(stamp < nowText).toBe(true);
    expect(await valuesOf(ledger, target)).toEqual({ f: "second" });
    expect(ledger.status().highWater < nowText).toBe(true);
    // The next life has no memory of the wrong time either.
    await using next = await openTestLedger({ files, clock });
    await set(next, "third");
    expect((await sync(next)).moved).toBe(0);
    expect(await valuesOf(next, target)).toEqual({ f: "third" });
  });

  test("lesson 47: a cloned disk finds out, takes another id, and loses nothing", async () => {
    const { clock, set, sync } = createTestFleet();
    const files = new Map<string, Uint8Array>();
    await using first = await openTestLedger({ files, clock });
    await set(first, "shared");
    await sync(first);
    const copy = structuredClone(files);
    await using clone = await openTestLedger({ files: copy, clock });
    expect(clone.node()).toBe(first.node());
    await set(first, "of the first", "company/1");
    await set(clone, "of the clone", "company/2");
    await sync(first);
    expect((await sync(clone)).moved).toBe(1);
    expect(clone.node()).not.toBe(first.node());
    await sync(first);
    for (const ledger of [first, clone]) {
      expect(await valuesOf(ledger, "company/1")).toEqual({ f: "of the first" });
      expect(await valuesOf(ledger, "company/2")).toEqual({ f: "of the clone" });
    }
    expect(await first.digest()).toBe(await clone.digest());
  });
});

describe("consolidation", () => {
  test("a checkpoint holds all there is; a node that joins has the same bytes", async () => {
    const { set, sync, fold, bucket } = createTestFleet();
    await using ledger = await openTestLedger();
    for (let index = 0; index < 40; index++) await set(ledger, index, `company/${index % 9}`);
    await sync(ledger);
    expect(await fold()).toMatchObject({
      status: "done",
      checkpoint: 1,
      datagrams: 40,
      faults: [],
    });
    await set(ledger, "after");
    await sync(ledger);
    const files = new Map<string, Uint8Array>();
    await using joined = await openTestLedger({ files });
    const progress: number[] = [];
    const result = await joined
      .withBucket(bucket)
      .sync({ onProgress: ({ done, total }) => progress.push(done / total) });
    expect(result).toMatchObject({ adopted: 1, pulled: 1 });
    expect(progress.at(-1)).toBe(1);
    expect(await joined.digest()).toBe(await ledger.digest());
    await using next = await openTestLedger({ files });
    expect(await next.digest()).toBe(await ledger.digest());
  });

  test("reading continues while a node switches to another checkpoint", async () => {
    const { clock, random, set, sync, fold } = createTestFleet();
    await using other = await openTestLedger({ clock });
    const targets = Array.from({ length: 20 }, (_, index) => `company/${index}`);
    const round = async (value: number) => {
      for (const one of targets) await set(other, value, one);
      await sync(other);
      await fold();
    };
    const disk = createMemoryDisk();
    const seen: Promise<unknown>[] = [];
    const remove = async (name: string) => {
      const next = targets[seen.length];
      if (next !== undefined) seen.push(valuesOf(ledger, next));
      await disk.remove(name);
    };
    const options = { clock, random, log: silentLogger, label: "reader" };
    await using ledger = await openLedger({ ...options, disk: { ...disk, remove } });
    await round(1);
    await sync(ledger);
    await round(2);
    await sync(ledger);
    expect(seen.length).toBeGreaterThan(10);
    for (const values of await Promise.all(seen)) expect(values).toEqual({ f: 2 });
  });

  test("unchanged data needs no checkpoint, and keeps its parts", async () => {
    const { set, sync, fold, bucket } = createTestFleet();
    await using ledger = await openTestLedger();
    await set(ledger, 1, "company/1");
    await set(ledger, 1, "company/2");
    await sync(ledger);
    await fold();
    expect(await fold()).toMatchObject({ status: "done", checkpoint: undefined });
    const before = (await findNewestManifest(bucket))!.manifest.parts;
    await set(ledger, 2, "company/2");
    await sync(ledger);
    await fold();
    const after = (await findNewestManifest(bucket))!.manifest.parts;
    expect(after.filter((name, index) => name !== before[index])).toHaveLength(1);
  });

  test("heads are hints: what a node sent before it died is folded though its head lacks it", async () => {
    const { set, sync, fold, objects } = createTestFleet();
    await using ledger = await openTestLedger();
    await set(ledger, 1);
    await sync(ledger);
    const key = headKey(ledger.node());
    const before = objects.get(key)!;
    await set(ledger, 2);
    await sync(ledger);
    objects.set(key, before);
    expect(await fold()).toMatchObject({ datagrams: 2 });
  });

  test("O4: a hub whose lease was taken makes no checkpoint", async () => {
    const { set, sync, fold, bucket } = createTestFleet();
    await using ledger = await openTestLedger();
    await set(ledger, 1);
    await sync(ledger);
    expect(await fold({ isHeld: () => false })).toMatchObject({ status: "lost" });
    await fold({ epoch: 7 });
    await set(ledger, 2);
    await sync(ledger);
    expect(await fold({ epoch: 6 })).toMatchObject({ status: "lost" });
    expect((await findNewestManifest(bucket))!.manifest).toMatchObject({ number: 1, epoch: 7 });
  });

  test("a segment that is damaged stops its session alone, is reported, and stays", async () => {
    const { set, sync, fold, objects, keys } = createTestFleet();
    await using bad = await openTestLedger();
    await using good = await openTestLedger();
    await set(bad, "bad", "company/1");
    await sync(bad);
    const [segment] = keys("ledger/wal/");
    const object = objects.get(segment!)!;
    objects.set(segment!, { ...object, body: object.body.slice(0, -20) });
    await set(good, "good", "company/2");
    await sync(good);
    const done = await fold();
    expect(done).toMatchObject({ status: "done", datagrams: 1 });
    expect(done.faults.join()).toContain(segment!);
    expect(keys("ledger/wal/")).toContain(segment);

    // What stands before the damage is not taken either: a segment counts whole or not at all.
    await set(good, "better", "company/2");
    await set(good, "flipped", "company/2");
    await sync(good);
    const name = keys("ledger/wal/").at(-1)!;
    const whole = objects.get(name)!;
    const flipped = Buffer.from(Buffer.from(whole.body).toString().replace("flipped", "flopped"));
    objects.set(name, { ...whole, body: flipped });
    await using third = await openTestLedger();
    await set(third, "third", "company/2");
    await sync(third);
    expect((await fold()).datagrams).toBe(1);
    objects.set(name, { ...whole, body: whole.body.slice(0, -5) });
    expect((await fold()).faults.join()).toContain(name);
    const parts = [...objects].filter(([key]) => key.startsWith("ledger/part/"));
    const texts = parts.map(([, { body }]) => Buffer.from(body).toString());
    expect(texts.filter((text) => /better|fl.pped/.test(text))).toEqual([]);
  });
});

describe("prune", () => {
  const prepare = async () => {
    const fleet = createTestFleet();
    const ledger = await openTestLedger({ clock: fleet.clock });
    const round = async (value: unknown) => {
      await fleet.set(ledger, value);
      await fleet.sync(ledger);
      return fleet.fold();
    };
    return { ...fleet, ledger, round };
  };

  test("takes only what two checkpoints cover, and not before the grace is over", async () => {
    const { clock, round, keys, lease, objects } = await prepare();
    expect((await round(1)).pruned.segments).toBe(0);
    await passTime(clock, graceMs + 2_000);
    await lease.acquire();
    expect((await round(2)).pruned.segments).toBe(1); // the first checkpoint's
    expect(keys("ledger/wal/")).toHaveLength(1);
    expect(keys("ledger/archive/")).toHaveLength(1);
    expect((await round(3)).pruned.segments).toBe(0); // the second one is too young
    expect(keys("ledger/wal/")).toHaveLength(2);
    const boundary = JSON.parse(Buffer.from(objects.get(boundaryKey)!.body).toString());
    expect(boundary).toMatchObject({ format: 1, checkpoint: 1 });
  });

  test("leaves two checkpoints and their parts", async () => {
    const { clock, round, keys, lease, ledger, bucket } = await prepare();
    for (const value of [1, 2, 3, 4]) {
      await round(value);
      await passTime(clock, graceMs + 2_000);
      await lease.acquire();
    }
    expect(keys("ledger/checkpoint/").map(parseManifestKey)).toEqual([3, 4]);
    expect(keys("ledger/part/")).toHaveLength(2);
    await using joined = await openTestLedger({ clock });
    await joined.withBucket(bucket).sync();
    expect(await joined.digest()).toBe(await ledger.digest());
  });

  test("lesson 33, O5: a segment that is sent again after it was pruned does not hide what follows", async () => {
    const { clock, round, lease, ledger, bucket, set, sync, fold } = await prepare();
    const files = new Map<string, Uint8Array>();
    const slow = await openTestLedger({ files, clock });
    await set(slow, "first", "company/s");
    await sync(slow);
    await round(1);
    await passTime(clock, graceMs + 2_000);
    await lease.acquire();
    await round(2);
    expect((await bucket.list("ledger/wal/")).length).toBe(1);
    // It dies before its own file says that the first commit was published. The next life finds a
    // second one behind it in the same session: its first segment would cover both.
    await set(slow, "second", "company/s2");
    const journal = [...files].filter(([name]) => name.startsWith("wal/"));
    const own = JSON.parse(Buffer.from(files.get("ledger/node.json")!).toString()) as object;
    const behind = Buffer.from(JSON.stringify({ ...own, published: {} }));
    const left = new Map<string, Uint8Array>([...journal, ["ledger/node.json", behind]]);
    await using next = await openTestLedger({ files: left, clock });
    await sync(next);
    await passTime(clock, graceMs);
    await lease.acquire();
    await fold();
    await sync(ledger);
    expect(await valuesOf(ledger, "company/s")).toEqual({ f: "first" });
    expect(await valuesOf(ledger, "company/s2")).toEqual({ f: "second" });
  });

  test("a node that was away for longer than the boundary comes back, and loses nothing", async () => {
    const { clock, round, lease, bucket, set, sync, fold, ledger } = await prepare();
    await using away = await openTestLedger({ clock });
    await round(0);
    await sync(away);
    await set(away, "written meanwhile", "company/away");
    for (const value of [1, 2, 3]) {
      await passTime(clock, graceMs + 2_000);
      await lease.acquire();
      await round(value);
    }
    await away.withBucket(bucket).sync();
    expect(await valuesOf(away, target)).toEqual({ f: 3 });
    await fold();
    await sync(ledger);
    expect(await valuesOf(ledger, "company/away")).toEqual({ f: "written meanwhile" });
    expect(await away.digest()).toBe(await ledger.digest());
  });

  test("a state as of a moment is in the archive", async () => {
    const { clock, round, lease, bucket } = await prepare();
    await round("old");
    const atMs = clock.nowMs();
    await passTime(clock, graceMs + 2_000);
    await lease.acquire();
    await round("new");
    const all = [];
    for await (const datagram of readArchive(bucket)) all.push(datagram);
    expect(viewAt(target, all, atMs).fields).toMatchObject([{ field: "f", value: "old" }]);
    expect(viewAt(target, all, clock.nowMs()).fields).toMatchObject([{ value: "new" }]);
    expect(viewAt(target, all, atMs - 86_400_000).fields).toEqual([]);
  });
});

describe("quarantine", () => {
  /** A peer that published without a look at the time: five minutes ahead. */
  const withRogue = async () => {
    const fleet = createTestFleet();
    const ahead = createTestClock();
    ahead.step(fleet.clock.nowMs() - ahead.nowMs() + 300_000);
    const rogueBucket = createMemoryBucket({ clock: ahead, objects: fleet.objects });
    const rogue = await openTestLedger({ clock: ahead });
    await fleet.set(rogue, "from the future");
    await rogue.withBucket(rogueBucket).sync();
    const ledger = await openTestLedger({ clock: fleet.clock });
    await fleet.set(ledger, "now");
    await fleet.sync(ledger);
    return { ...fleet, ledger };
  };

  test("what is ahead waits, moves no clock, is carried by checkpoints, and counts in its time", async () => {
    const { ledger, clock, fold, sync, bucket, lease } = await withRogue();
    expect(ledger.quarantine()).toMatchObject([{ value: '"from the future"' }]);
    expect(await valuesOf(ledger, target)).toEqual({ f: "now" });
    expect(Date.parse(ledger.status().highWater.slice(0, 24))).toBeLessThan(clock.nowMs() + 1_000);
    await fold();
    expect((await findNewestManifest(bucket))!.manifest.heldBack).toHaveLength(1);
    await using joined = await openTestLedger({ clock });
    await sync(joined);
    expect(joined.quarantine()).toHaveLength(1);
    expect(await joined.digest()).toBe(await ledger.digest());
    await passTime(clock, 300_000);
    await lease.acquire();
    await fold();
    for (const one of [ledger, joined]) {
      await sync(one);
      expect(one.quarantine()).toEqual([]);
      expect(await valuesOf(one, target)).toEqual({ f: "from the future" });
    }
    expect(await joined.digest()).toBe(await ledger.digest());
  });

  test("re-stamped it counts at once, and does not come back in its time", async () => {
    const { ledger, clock, fold, sync, set, lease } = await withRogue();
    await using other = await openTestLedger({ clock });
    await sync(other);
    const [dot] = ledger.quarantine().map(dotOf);
    await ledger.restamp(dot!);
    expect(await valuesOf(ledger, target)).toEqual({ f: "from the future" });
    await set(ledger, "later");
    await sync(ledger);
    await passTime(clock, 400_000);
    await sync(other); // its time had come there before it learned that it was dropped
    await lease.acquire();
    await fold();
    await using joined = await openTestLedger({ clock });
    for (const one of [ledger, other, joined]) {
      await sync(one);
      expect(one.quarantine()).toEqual([]);
      expect(await valuesOf(one, target)).toEqual({ f: "later" });
      expect(await one.digest()).toBe(await ledger.digest());
    }
  });
});

test("a checkpoint and a head of a newer version are reported as such", async () => {
  const { bucket, objects, sync, clock } = createTestFleet();
  const body = Buffer.from('{"format":2}');
  objects.set(manifestKey(1), { body, etag: "e", modifiedAtMs: 0 });
  await using ledger = await openTestLedger({ clock });
  await expect(sync(ledger)).rejects.toMatchObject({ code: "ledger_newer" });
  objects.delete(manifestKey(1));
  await bucket.put(headKey("0123456789abc"), body);
  expect((await sync(ledger)).faults.join()).toContain("newer version");
});
