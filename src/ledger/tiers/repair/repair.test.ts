import { describe, expect, test } from "vitest";
import type { Bucket } from "../../../bucket/index.ts";
import { asOfAnotherDisk, createAuthor, expectBack } from "../../testing/test-author.ts";
import { fleetGraceMs } from "../../testing/test-fleet.ts";
import { openTestLedger } from "../../testing/test-ledger.ts";
import { headKey, segmentsPrefix } from "../keys.ts";

const repairing = { isRepairing: true };

describe("a segment that is gone from the bucket", () => {
  test("the author's next sync puts it back byte for byte, and readers continue by themselves", async () => {
    const { author, reader, sync, stored, lose, objects, known } = await createAuthor();
    const lost = lose(stored()[1]!);
    const { faults } = await sync(reader);
    expect(faults).toEqual([expect.stringContaining(lost[0]![0])]);
    expect(faults[0]).toContain(`author (${author.node()})`);
    expect(known(reader)).toBe(3);
    expect(reader.status().faults).toEqual(faults);

    expect(await sync(author, repairing)).toMatchObject({ published: 0, repaired: 1, faults: [] });
    expectBack(objects, lost);
    expect(await sync(reader)).toMatchObject({ pulled: 12, faults: [] });
    expect(known(reader)).toBe(15);
    expect(reader.status().faults).toEqual([]);
    expect(await reader.digest()).toBe(await author.digest());
    expect((await sync(author, repairing)).repaired).toBe(0);
  });

  test("several at once, also the first and the last, come back cut as they were", async () => {
    const { author, reader, sync, stored, lose, objects, known } = await createAuthor();
    const all = stored();
    const lost = lose(all[0]!, all[2]!, all[3]!, all[4]!);
    expect((await sync(author, repairing)).repaired).toBe(4);
    expect(stored()).toEqual(all);
    expectBack(objects, lost);
    await sync(reader);
    expect(known(reader)).toBe(15);
  });

  test("those of earlier sessions of the node come back too", async () => {
    const { clock, files, publish, reader, sync, stored, lose, objects, known } =
      await createAuthor();
    await using next = await openTestLedger({ clock, files, label: "author" });
    await publish(next, 6, 8);
    const all = stored();
    expect(new Set(all.map((name) => name.split("/")[3])).size).toBe(2);
    const lost = lose(...all.filter((_, index) => index % 2 === 0));
    expect((await sync(next, repairing)).repaired).toBe(lost.length);
    expectBack(objects, lost);
    await sync(reader);
    expect(known(reader)).toBe(24);
  });

  test("it stops its own session alone", async () => {
    const { clock, files, publish, reader, sync, stored, lose, known } = await createAuthor(2);
    const [first] = stored();
    await using next = await openTestLedger({ clock, files, label: "author" });
    await publish(next, 3, 4);
    lose(first!);
    const { faults } = await sync(reader);
    expect(faults).toHaveLength(1);
    expect(known(reader)).toBe(6);
  });

  test("without a log of segments their ends are read from the bucket", async () => {
    const { clock, files, sync, stored, lose, objects } = await createAuthor();
    files.delete("ledger/segments.usv");
    const lost = lose(stored()[1]!);
    await using next = await openTestLedger({ clock, files, label: "author" });
    expect((await sync(next, repairing)).repaired).toBe(1);
    expectBack(objects, lost);
  });

  test("a crash before the node's file says that it was published changes no segment's end", async () => {
    const { clock, files, sync, stored, lose, objects, set } = await createAuthor();
    const own = JSON.parse(Buffer.from(files.get("ledger/node.json")!).toString()) as object;
    const behind = Buffer.from(JSON.stringify({ ...own, published: {} }));
    const left = new Map([...files, ["ledger/node.json", behind]]);
    const all = stored();
    const lost = lose(all[0]!, all[1]!, all[3]!);
    await using next = await openTestLedger({ clock, files: left, label: "author" });
    await set(next, "one more");
    await sync(next);
    expectBack(objects, lost);
    expect(stored()).toHaveLength(6);
  });

  test("what was forgotten meanwhile comes back without its content", async () => {
    const { author, reader, sync, stored, lose, objects, known } = await createAuthor();
    await author.forget({ target: "company/2", source: "hand:anna" });
    await sync(author);
    const [name] = lose(stored()[1]!)[0]!;
    expect((await sync(author, repairing)).repaired).toBe(1);
    const text = Buffer.from(objects.get(name)!.body).toString();
    expect(text).toContain("scrubbed");
    expect(text).not.toContain("2 a");
    await sync(reader);
    expect(known(reader)).toBe(known(author));
    expect(await reader.digest()).toBe(await author.digest());
    expect((await sync(author, repairing)).repaired).toBe(0);
  });

  test("one that was cut short is replaced; a sound one with other content never is", async () => {
    const { author, sync, stored, objects } = await createAuthor();
    const [, second, third] = stored();
    const whole = objects.get(second!)!;
    objects.set(second!, { ...whole, etag: "cut", body: whole.body.slice(0, -20) });
    expect(await sync(author, repairing)).toMatchObject({ repaired: 1, faults: [] });
    expectBack(objects, [[second!, whole]]);

    const foreign = asOfAnotherDisk(third!, objects.get(third!)!);
    objects.set(third!, foreign);
    const { repaired, faults } = await sync(author, repairing);
    expect(repaired).toBe(0);
    expect(faults).toEqual([expect.stringContaining("another disk uses this node's id")]);
    expect(objects.get(third!)).toBe(foreign);
  });

  test("the author's head that is gone is written again", async () => {
    const { author, reader, sync, objects, known } = await createAuthor();
    objects.delete(headKey(author.node()));
    await sync(reader);
    expect(known(reader)).toBe(0);
    await sync(author, repairing);
    await sync(reader);
    expect(known(reader)).toBe(15);
  });
});

describe("a hub beside the repair", () => {
  /** Calls `hook` once, before the first request that fits. */
  const hooked = (
    bucket: Bucket,
    isIt: (operation: string, key: string) => boolean,
    hook: () => Promise<unknown>,
  ): Bucket => {
    let isDone = false;
    const before = async (operation: string, key: string) => {
      if (isDone || !isIt(operation, key)) return;
      isDone = true;
      await hook();
    };
    return {
      ...bucket,
      async get(key, options) {
        await before("get", key);
        return bucket.get(key, options);
      },
      async list(prefix, options) {
        await before("list", prefix);
        return bucket.list(prefix, options);
      },
      async putIfAbsent(key, body) {
        await before("putIfAbsent", key);
        return bucket.putIfAbsent(key, body);
      },
    };
  };
  /** Two checkpoints, the older past its grace: the next fold deletes the segments it holds. */
  const readyToPrune = async () => {
    const fleet = await createAuthor();
    const { clock, fold, lease, set, sync } = fleet;
    await fold();
    await using other = await openTestLedger({ clock });
    await set(other, "later");
    await sync(other);
    await fold();
    await clock.advance(fleetGraceMs + 2_000);
    await lease.acquire();
    return fleet;
  };

  test("a checkpoint in between: what it holds stays away, the rest comes back", async () => {
    const { author, reader, publish, sync, fold, stored, lose, objects, known } =
      await createAuthor(2);
    expect((await fold()).checkpoint).toBe(1);
    await publish(author, 3, 5);
    const all = stored();
    const [covered, needed] = lose(all[0]!, all[3]!);
    const { faults } = await fold();
    expect(faults).toEqual([expect.stringContaining(needed![0])]);
    expect((await sync(author, repairing)).repaired).toBe(1);
    expect(objects.has(covered![0])).toBe(false);
    expectBack(objects, [needed!]);
    expect(await fold()).toMatchObject({ status: "done", datagrams: 6, faults: [] });
    await sync(reader);
    expect(known(reader)).toBe(15);
  });

  for (const [when, operation, prefix] of [
    ["before it lists", "list", segmentsPrefix],
    ["between its listing and its look at the boundary", "get", "ledger/boundary"],
  ] as const) {
    test(`lesson 33: segments that a hub deletes ${when} are not created again`, async () => {
      const { author, bucket, fold, stored } = await readyToPrune();
      let created = 0;
      const counting: Bucket = {
        ...bucket,
        async putIfAbsent(key, body) {
          if (key.startsWith(segmentsPrefix)) created += 1;
          return bucket.putIfAbsent(key, body);
        },
      };
      const isIt = (name: string, key: string) => name === operation && key.startsWith(prefix);
      let pruned = 0;
      const beside = hooked(counting, isIt, async () => {
        pruned = (await fold()).pruned.segments;
      });
      // It stands on no checkpoint: all of it could be put back, if it were missing.
      const how = { isLight: true, ...repairing };
      expect(await author.withBucket(beside).sync(how)).toMatchObject({ repaired: 0, faults: [] });
      expect({ pruned, created }).toEqual({ pruned: 5, created: 0 });
      expect(stored()).toHaveLength(1);
    });
  }

  test("lesson 33: if the boundary passes a segment while it is put back, it goes again", async () => {
    const { author, reader, bucket, fold, stored, lose, sync, known } = await readyToPrune();
    const [first] = stored().filter((name) => name.includes(author.node()));
    lose(first!);
    let pruned = 0;
    const isIt = (name: string, key: string) => name === "putIfAbsent" && key === first;
    const beside = hooked(bucket, isIt, async () => {
      pruned = (await fold()).pruned.segments;
    });
    await author.withBucket(beside).sync({ isLight: true, ...repairing });
    expect(pruned).toBe(4);
    expect(stored().filter((name) => name.includes(author.node()))).toEqual([]);
    await sync(reader);
    expect(known(reader)).toBe(16);
  });
});
