import { describe, expect, test } from "vitest";
import type { Bucket } from "../../../bucket/index.ts";
import { createAuthor } from "../../testing/test-author.ts";
import { openTestLedger } from "../../testing/test-ledger.ts";
import { segmentsPrefix } from "../keys.ts";

const dayMs = 86_400_000;

/** Counts requests for segments, by operation. */
function counted(bucket: Bucket, prefix = segmentsPrefix) {
  const counts = { get: 0, list: 0, putIfAbsent: 0 };
  const note = (operation: keyof typeof counts, key: string) => {
    if (key.startsWith(prefix)) counts[operation] += 1;
  };
  const counting: Bucket = {
    ...bucket,
    async get(key, options) {
      note("get", key);
      return bucket.get(key, options);
    },
    async list(below, options) {
      note("list", below);
      return bucket.list(below, options);
    },
    async putIfAbsent(key, body) {
      note("putIfAbsent", key);
      return bucket.putIfAbsent(key, body);
    },
  };
  const take = () => {
    const taken = { ...counts };
    Object.assign(counts, { get: 0, list: 0, putIfAbsent: 0 });
    return taken;
  };
  return { counting, take };
}

describe("what looking for missing segments costs", () => {
  test("one listing a day, whatever the number of syncs and lives; none once a checkpoint has all", async () => {
    const { author, bucket, clock, files, fold, stored, lose } = await createAuthor();
    const { counting, take } = counted(bucket);
    const syncHourly = async (ledger: typeof author, hours: number) => {
      const sync = ledger.withBucket(counting);
      for (let hour = 0; hour < hours; hour++) {
        await sync.sync();
        await clock.advance(dayMs / 24);
      }
    };
    await syncHourly(author, 24);
    take();
    await syncHourly(author, 3 * 24);
    expect(take()).toEqual({ get: 0, list: 3, putIfAbsent: 0 });
    {
      await using next = await openTestLedger({ clock, files });
      await syncHourly(next, 12);
    }
    await using next = await openTestLedger({ clock, files });
    await syncHourly(next, 12);
    expect(take()).toMatchObject({ get: 0, list: 1 });

    // What is missing is found at the next look, without anybody asking for it.
    lose(stored()[2]!);
    await syncHourly(next, 24);
    expect(take()).toEqual({ get: 0, list: 1, putIfAbsent: 1 });

    await fold();
    await syncHourly(next, 3 * 24);
    expect(take()).toEqual({ get: 0, list: 0, putIfAbsent: 0 });
  });

  test("a segment of another that is missing is a reason to look, once", async () => {
    const { author, reader, bucket, clock, stored, lose, publish } = await createAuthor();
    await publish(reader, 6, 7);
    const { counting, take } = counted(bucket, `${segmentsPrefix}${reader.node()}/`);
    const sync = reader.withBucket(counting);
    await sync.sync();
    expect(take().list).toBe(0);
    await publish(author, 8, 9);
    const isOf = (node: string) => (name: string) => name.includes(node);
    lose(stored().findLast(isOf(author.node()))!, stored().find(isOf(reader.node()))!);
    expect(await sync.sync()).toMatchObject({ repaired: 1, faults: [expect.any(String)] });
    expect(take()).toEqual({ get: 0, list: 1, putIfAbsent: 1 });
    for (let times = 0; times < 5; times++) {
      await clock.advance(60_000);
      expect((await sync.sync()).faults).toHaveLength(1);
    }
    expect(take()).toEqual({ get: 0, list: 0, putIfAbsent: 0 });
  });

  test("many that are missing come back in portions, one with each sync", async () => {
    const { author, bucket, clock, objects, stored } = await createAuthor(450);
    await clock.advance(dayMs);
    const all = stored();
    for (const name of all) objects.delete(name);
    const { counting, take } = counted(bucket);
    const sync = author.withBucket(counting);
    for (const portion of [200, 200, 50]) {
      expect((await sync.sync()).repaired).toBe(portion);
      expect(take().putIfAbsent).toBe(portion);
    }
    expect(stored()).toEqual(all);
    expect(await sync.sync()).toMatchObject({ repaired: 0 });
    expect(take().list).toBe(0);
  });
});
