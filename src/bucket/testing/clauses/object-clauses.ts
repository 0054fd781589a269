import { expect } from "vitest";
import { bytes, textOf, type BucketClause } from "../suite-fixture.ts";

/** Valid keys that break code with careless escaping. */
export const oddKeys: readonly string[] = [
  "UPPER.case",
  "upper.case",
  "with space",
  "percent%41",
  "per%2Fcent",
  "plus+and=equals",
  "quote'\"<&>",
  "question?mark#hash",
  "back\\slash:colon|star*",
  "dot./.hidden/trailing.",
  "...",
  "con/nul.txt",
  "grün/日本/🜁",
  "combining/e\u0301",
  "combining/\u00e9",
  `long/${"x".repeat(400)}`,
  "é".repeat(400),
];

export function objectClauses(clause: BucketClause): void {
  clause("what was put is read back, byte by byte", async ({ bucket }) => {
    const body = Uint8Array.from({ length: 256 }, (_, index) => index);
    const { etag } = await bucket.put("a/b", body);
    const got = await bucket.get("a/b");
    expect(got).toMatchObject({ status: "found", etag });
    expect(got.status === "found" && Buffer.compare(got.body, body)).toBe(0);
  });

  clause("what is not there is absent", async ({ bucket }) => {
    expect(await bucket.get("nothing")).toEqual({ status: "absent" });
    expect(await bucket.get("nothing", { ifNoneMatch: "x" })).toEqual({ status: "absent" });
  });

  clause("an object may be empty, and may have 5 MB", async ({ bucket }) => {
    await bucket.putIfAbsent("empty", new Uint8Array());
    const empty = await bucket.get("empty");
    expect(empty.status === "found" && empty.body.byteLength).toBe(0);
    const big = new Uint8Array(5_000_000).fill(7);
    await bucket.putIfAbsent("big", big);
    const got = await bucket.get("big");
    expect(got.status === "found" && Buffer.compare(got.body, big)).toBe(0);
  });

  clause("a put replaces the whole object, in place of any other", async ({ bucket }) => {
    await bucket.put("a", bytes("a long first text"));
    await bucket.put("a", bytes("short"));
    expect(await textOf(bucket, "a")).toBe("short");
  });

  clause("put-if-absent creates once and changes nothing after that", async ({ bucket }) => {
    const first = await bucket.putIfAbsent("a", bytes("one"));
    expect(first.status).toBe("created");
    expect(await bucket.putIfAbsent("a", bytes("two"))).toEqual({ status: "exists" });
    expect(await textOf(bucket, "a")).toBe("one");
  });

  clause("put-if-absent creates again what was deleted", async ({ bucket }) => {
    await bucket.putIfAbsent("a", bytes("one"));
    await bucket.delete("a");
    expect((await bucket.putIfAbsent("a", bytes("two"))).status).toBe("created");
    expect(await textOf(bucket, "a")).toBe("two");
  });

  clause("put-if-match replaces what has that ETag, again and again", async ({ bucket }) => {
    let { etag } = await bucket.put("a", bytes("0"));
    for (const text of ["1", "2", "3"]) {
      const answer = await bucket.putIfMatch("a", bytes(text), etag);
      expect(answer.status).toBe("written");
      if (answer.status === "written") etag = answer.etag;
    }
    expect(await textOf(bucket, "a")).toBe("3");
    expect(await bucket.get("a")).toMatchObject({ etag });
  });

  clause("put-if-match is stale when the object has changed or is gone", async ({ bucket }) => {
    const { etag } = await bucket.put("a", bytes("one"));
    await bucket.put("a", bytes("two"));
    expect(await bucket.putIfMatch("a", bytes("three"), etag)).toEqual({ status: "stale" });
    expect(await textOf(bucket, "a")).toBe("two");
    await bucket.delete("a");
    expect(await bucket.putIfMatch("a", bytes("three"), etag)).toEqual({ status: "stale" });
    expect(await bucket.get("a")).toEqual({ status: "absent" });
  });

  clause("the ETag of a create, an update and a read is the same", async ({ bucket }) => {
    const created = await bucket.putIfAbsent("a", bytes("one"));
    const read = await bucket.get("a");
    if (created.status !== "created" || read.status !== "found") throw new Error("not there");
    expect(read.etag).toBe(created.etag);
    const written = await bucket.putIfMatch("a", bytes("two"), read.etag);
    expect(await bucket.get("a")).toMatchObject({
      etag: written.status === "written" && written.etag,
    });
  });

  clause("a conditional read is unchanged until the object changes", async ({ bucket }) => {
    const { etag } = await bucket.put("a", bytes("one"));
    expect(await bucket.get("a", { ifNoneMatch: etag })).toEqual({ status: "unchanged" });
    await bucket.put("a", bytes("two"));
    expect(await bucket.get("a", { ifNoneMatch: etag })).toMatchObject({ status: "found" });
  });

  clause("deleting a missing object is not an error", async ({ bucket }) => {
    await bucket.delete("a/b/c");
    await bucket.put("a/b/c", bytes("x"));
    await bucket.delete("a/b/c");
    await bucket.delete("a/b/c");
    expect(await bucket.get("a/b/c")).toEqual({ status: "absent" });
  });

  clause("odd keys are kept apart and come back as they are", async ({ bucket }) => {
    for (const key of oddKeys) await bucket.putIfAbsent(key, bytes(key));
    for (const key of oddKeys) expect(await textOf(bucket, key)).toBe(key);
    const listed = (await bucket.list("")).map(({ key }) => key);
    expect([...listed].sort()).toEqual([...oddKeys].sort());
  });

  clause("a key may be the beginning of another", async ({ bucket }) => {
    await bucket.put("a", bytes("1"));
    await bucket.put("a/b", bytes("2"));
    expect(await textOf(bucket, "a")).toBe("1");
    expect(await textOf(bucket, "a/b")).toBe("2");
  });

  clause("an object's age is measured by the store's clock", async ({ bucket }) => {
    await bucket.put("a", bytes("x"));
    const got = await bucket.get("a");
    const { earliestMs, latestMs } = await bucket.now();
    if (got.status !== "found") throw new Error("not there");
    expect(got.seenAtMs - got.modifiedAtMs).toBeGreaterThanOrEqual(-1_000);
    expect(got.seenAtMs - got.modifiedAtMs).toBeLessThan(10_000);
    expect(earliestMs).toBeLessThanOrEqual(latestMs);
    expect(latestMs).toBeGreaterThanOrEqual(got.seenAtMs - 1_000);
    expect(earliestMs).toBeLessThan(got.seenAtMs + 10_000);
  });
}
