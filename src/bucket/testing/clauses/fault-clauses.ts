import { expect } from "vitest";
import { bodyBytesMax } from "../../bucket.ts";
import { bytes, type BucketClause } from "../suite-fixture.ts";

const refusedKeys = [
  "",
  "/a",
  "a/",
  "a//b",
  ".",
  "a/../b",
  "a/./b",
  "a\nb",
  "a\0b",
  "\ud800",
  "x".repeat(901),
  "é".repeat(451),
];

export function faultClauses(clause: BucketClause): void {
  clause("a key that some store would change is refused by all", async ({ bucket }) => {
    for (const key of refusedKeys) {
      const refused = { kind: "invalid", code: "bucket_key" };
      await expect(bucket.get(key), JSON.stringify(key)).rejects.toMatchObject(refused);
      await expect(bucket.put(key, bytes("x"))).rejects.toMatchObject(refused);
      await expect(bucket.putIfAbsent(key, bytes("x"))).rejects.toMatchObject(refused);
      await expect(bucket.putIfMatch(key, bytes("x"), "e")).rejects.toMatchObject(refused);
      await expect(bucket.delete(key)).rejects.toMatchObject(refused);
    }
    for (const prefix of ["a\nb", "/", "/a", "a//b", "../a", "a/../b", "./"]) {
      await expect(bucket.list(prefix), prefix).rejects.toMatchObject({ code: "bucket_key" });
    }
    expect(await bucket.list("")).toEqual([]);
  });

  clause("a key must be text, and a body must be bytes", async ({ bucket }) => {
    const [noKey, noBody] = [undefined as never, "text" as never];
    const refusedKey = { kind: "invalid", code: "bucket_key" };
    await expect(bucket.get(noKey)).rejects.toMatchObject(refusedKey);
    await expect(bucket.put(noKey, bytes("x"))).rejects.toMatchObject(refusedKey);
    await expect(bucket.list(noKey)).rejects.toMatchObject(refusedKey);
    const refusedBody = { kind: "invalid", code: "bucket_body" };
    await expect(bucket.put("a", noBody)).rejects.toMatchObject(refusedBody);
    await expect(bucket.putIfAbsent("a", noBody)).rejects.toMatchObject(refusedBody);
    await expect(bucket.putIfMatch("a", noBody, "e")).rejects.toMatchObject(refusedBody);
    expect(await bucket.list("")).toEqual([]);
  });

  clause("a body over the limit is refused, and nothing written", async ({ bucket }) => {
    const refused = { kind: "invalid", code: "bucket_body_too_big" };
    const body = new Uint8Array(bodyBytesMax + 1);
    await expect(bucket.putIfAbsent("big", body)).rejects.toMatchObject(refused);
    await expect(bucket.put("big", body)).rejects.toMatchObject(refused);
    expect(await bucket.get("big")).toEqual({ status: "absent" });
  });

  clause("a bucket is closed once, however often and by whichever name", async ({ another }) => {
    const second = await another();
    await second.put("a", bytes("x"));
    await Promise.all([second.close(), second[Symbol.asyncDispose]()]);
    await second.close();
  });

  clause("an ETag that never was matches nothing", async ({ bucket }) => {
    await bucket.put("a", bytes("one"));
    for (const etag of ["", '"', "*", "00000000000000000000000000000000", "\u00e9\n"]) {
      expect(await bucket.putIfMatch("a", bytes("two"), etag)).toEqual({ status: "stale" });
    }
    expect(await bucket.get("a")).toMatchObject({ status: "found" });
  });
}
