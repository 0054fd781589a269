import { describe, expect, test } from "vitest";
import type { MemoryObject } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { asOfAnotherDisk, createAuthor, expectBack } from "../../testing/test-author.ts";
import { fleetGraceMs } from "../../testing/test-fleet.ts";
import { openTestLedger } from "../../testing/test-ledger.ts";
import { boundaryKey, headKey } from "../keys.ts";

const repairing = { isRepairing: true };

/** The same size with other content: only a read shows the difference. */
const flipped = (object: MemoryObject): MemoryObject => {
  const body = Buffer.from(object.body);
  body[body.length - 30]! ^= 1;
  return { ...object, etag: "flipped", body };
};

describe("verify --bucket", () => {
  test("says what is missing or damaged of all nodes, and who has to repair it", async () => {
    const { author, reader, bucket, stored, lose, objects } = await createAuthor();
    const all = stored();
    const whole = objects.get(all[3]!)!;
    const lost = lose(all[1]!);
    objects.set(all[3]!, flipped(whole));

    const seen = await reader.withBucket(bucket).verify(repairing);
    expect(seen).toMatchObject({ nodes: 1, segments: 3 });
    const common = { node: author.node(), label: "author", isRepaired: false };
    const missing = { object: all[1], state: "missing", first: 4, last: 6 };
    const damaged = { object: all[3], state: "damaged", first: 10, last: 12 };
    const others = { ...common, isOwn: false, isRepairable: false };
    expect(seen.faults).toMatchObject([
      { ...missing, ...others },
      { ...damaged, ...others },
    ]);
    expect(stored()).toHaveLength(4);

    const own = { ...common, isOwn: true, isRepairable: true };
    const looked = await author.withBucket(bucket).verify();
    expect(looked.faults).toMatchObject([
      { ...missing, ...own },
      { ...damaged, ...own },
    ]);
    expect(stored()).toHaveLength(4);

    const repaired = await author.withBucket(bucket).verify(repairing);
    expect(repaired.faults.map(({ isRepaired }) => isRepaired)).toEqual([true, true]);
    expectBack(objects, [...lost, [all[3]!, whole]]);
    expect(await author.withBucket(bucket).verify()).toEqual({ nodes: 1, segments: 5, faults: [] });
  });

  test("damage is replaced only while it is still there; other content never is", async () => {
    const { author, bucket, stored, objects } = await createAuthor();
    const [first, second] = stored();
    const whole = objects.get(first!)!;
    objects.set(first!, flipped(whole));
    objects.set(second!, asOfAnotherDisk(second!, objects.get(second!)!));
    const raced = {
      ...bucket,
      async putIfMatch(key: string, body: Uint8Array, etag: string) {
        if (key === first) objects.set(key, { ...whole, etag: "of a quicker one" });
        return bucket.putIfMatch(key, body, etag);
      },
    };
    const { faults } = await author.withBucket(raced).verify(repairing);
    expect(faults).toMatchObject([
      { object: first, state: "damaged", isRepaired: false },
      { object: second, state: "foreign", isRepairable: false, isRepaired: false },
    ]);
    expect(objects.get(first!)!.etag).toBe("of a quicker one");
    expect(objects.get(second!)!.etag).toBe("other");
  });

  test("what a hub folds and deletes meanwhile is not missing", async () => {
    const { author, bucket, clock, fold, lease, set, sync, stored } = await createAuthor();
    await using other = await openTestLedger({ clock });
    await set(other, "later");
    let isFolded = false;
    const beside = {
      ...bucket,
      async get(key: string) {
        if (key === stored()[0] && !isFolded) {
          isFolded = true;
          await fold();
          await sync(other);
          await fold();
          await clock.advance(fleetGraceMs + 2_000);
          await lease.acquire();
          expect((await fold()).pruned.segments).toBe(5);
        }
        return bucket.get(key);
      },
    };
    const { faults } = await author.withBucket(beside).verify(repairing);
    expect({ faults, isFolded }).toEqual({ faults: [], isFolded: true });
    expect(stored()).toHaveLength(1);
    expect((await bucket.get(boundaryKey)).status).toBe("found");
  });

  test("a head that is missing is found by its segments, and its node writes it again", async () => {
    const { author, reader, bucket, objects, known, sync } = await createAuthor();
    const head = headKey(author.node());
    objects.delete(head);
    const missing = { object: head, state: "missing", node: author.node() };
    const seen = await reader.withBucket(bucket).verify(repairing);
    expect(seen.faults).toMatchObject([{ ...missing, isOwn: false, isRepaired: false }]);
    const { faults } = await author.withBucket(bucket).verify(repairing);
    expect(faults).toMatchObject([{ ...missing, isOwn: true, isRepaired: true }]);
    await sync(reader);
    expect(known(reader)).toBe(15);
  });

  test("what is missing here too is said, and not called repairable", async () => {
    const { clock, files, bucket, stored, lose } = await createAuthor();
    lose(stored()[1]!);
    for (const name of files.keys()) if (name.startsWith("wal/")) files.delete(name);
    await using next = await openTestLedger({ clock, files });
    expect(next.status().lost).toBe(15);
    const { faults } = await next.withBucket(bucket).verify(repairing);
    expect(faults).toMatchObject([
      { object: expect.stringContaining("004.usv"), isOwn: true, isRepairable: false },
    ]);
  });
});
