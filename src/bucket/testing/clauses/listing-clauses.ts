import { expect } from "vitest";
import type { Bucket } from "../../bucket.ts";
import { bytes, type BucketClause } from "../suite-fixture.ts";

export function listingClauses(clause: BucketClause): void {
  clause("a list has the objects of its prefix, with size and ETag", async ({ bucket }) => {
    const { etag } = await bucket.put("a/one", bytes("1234"));
    await bucket.put("a/two", bytes("2"));
    await bucket.put("b/one", bytes("3"));
    const [one, ...others] = await bucket.list("a/");
    expect(one).toMatchObject({ key: "a/one", bytes: 4, etag });
    expect(others.map(({ key }) => key)).toEqual(["a/two"]);
    expect(await keys(bucket, "a/o")).toEqual(["a/one"]);
    expect(await keys(bucket, "")).toEqual(["a/one", "a/two", "b/one"]);
    expect(await keys(bucket, "c")).toEqual([]);
  });

  clause("keys are in the order of their UTF-8 bytes", async ({ bucket }) => {
    // In UTF-16, which is the order of JavaScript strings, the last two are reversed.
    const ordered = ["A", "B", "a!", "a-b/x", "a/b", "a0", "z", "é", "\uff5e", "\u{1f701}"];
    for (const key of ordered.toReversed()) await bucket.put(`o/${key}`, bytes("x"));
    expect(await keys(bucket, "o/")).toEqual(ordered.map((key) => `o/${key}`));
  });

  clause("a list starts after a key, which need not exist", async ({ bucket }) => {
    for (const key of ["k1", "k2", "k3"]) await bucket.put(key, bytes("x"));
    expect(await keys(bucket, "k", { startAfter: "k1" })).toEqual(["k2", "k3"]);
    expect(await keys(bucket, "k", { startAfter: "k2x" })).toEqual(["k3"]);
    expect(await keys(bucket, "k", { startAfter: "k3" })).toEqual([]);
    expect(await keys(bucket, "k", { startAfter: "a" })).toEqual(["k1", "k2", "k3"]);
  });

  clause("pages of any size make the whole", async ({ bucket }) => {
    const all = Array.from({ length: 23 }, (_, index) => `p/${String(index).padStart(3, "0")}`);
    await Promise.all(all.map((key) => bucket.putIfAbsent(key, bytes(key))));
    const found: string[] = [];
    for (;;) {
      const page = await keys(bucket, "p/", { startAfter: found.at(-1) ?? "", limit: 5 });
      found.push(...page);
      if (page.length < 5) break;
    }
    expect(found).toEqual(all);
  });

  clause("a list shows what was just put, and not what was just deleted", async ({ bucket }) => {
    for (let round = 0; round < 5; round++) {
      await bucket.put(`now/${round}`, bytes("x"));
      expect(await keys(bucket, "now/")).toEqual([`now/${round}`]);
      await bucket.delete(`now/${round}`);
      expect(await keys(bucket, "now/")).toEqual([]);
    }
  });

  clause("lesson 34: what was deleted stays away", async ({ bucket, another }) => {
    await bucket.put("gone", bytes("x"));
    const second = await another();
    await second.delete("gone");
    expect(await bucket.get("gone")).toEqual({ status: "absent" });
    expect(await keys(await another(), "")).toEqual([]);
  });
}

async function keys(bucket: Bucket, prefix: string, options = {}): Promise<readonly string[]> {
  return (await bucket.list(prefix, options)).map(({ key }) => key);
}
