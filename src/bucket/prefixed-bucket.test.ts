import { describe, expect, test } from "vitest";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket, type MemoryObject } from "./adapters/memory/memory-bucket.ts";
import { createPrefixedBucket } from "./prefixed-bucket.ts";
import { bucketSuite } from "./testing/bucket-suite.ts";
import { bytes, textOf } from "./testing/suite-fixture.ts";

bucketSuite({
  name: "memory, below a prefix and beside other objects",
  open: async () => {
    const clock = createTestClock();
    const objects = new Map<string, MemoryObject>();
    const whole = createMemoryBucket({ clock, objects });
    for (const key of ["a", "handler", "handlers", "handlers0", "z"]) {
      await whole.put(key, bytes("not ours"));
    }
    const open = () =>
      createPrefixedBucket({
        bucket: createMemoryBucket({ clock, objects }),
        prefix: "handlers/",
      });
    return { bucket: open(), openAnother: async () => open() };
  },
});

describe("a prefixed bucket", () => {
  const setUp = () => {
    const whole = createMemoryBucket({ clock: createTestClock() });
    return { whole, bucket: createPrefixedBucket({ bucket: whole, prefix: "handlers/" }) };
  };

  test("puts the prefix before every key, and takes it off what it lists", async () => {
    const { whole, bucket } = setUp();
    await bucket.put("in/a", bytes("x"));
    expect(await textOf(whole, "handlers/in/a")).toBe("x");
    expect((await bucket.list("in/")).map(({ key }) => key)).toEqual(["in/a"]);
  });

  test.each(["../queue.json", "/queue.json", "a/../../queue.json", "..", "/"])(
    "refuses %s, which would lead out, and changes nothing outside",
    async (key) => {
      const { whole, bucket } = setUp();
      await whole.put("queue.json", bytes("the queue"));
      const refused = { kind: "invalid", code: "bucket_key" };
      await expect(bucket.put(key, bytes("x"))).rejects.toMatchObject(refused);
      await expect(bucket.get(key)).rejects.toMatchObject(refused);
      await expect(bucket.delete(key)).rejects.toMatchObject(refused);
      expect((await whole.list("")).map((object) => object.key)).toEqual(["queue.json"]);
      expect(await textOf(whole, "queue.json")).toBe("the queue");
    },
  );

  test("says which key it refuses as it was given, and why", async () => {
    const { bucket } = setUp();
    await expect(bucket.put("../fleet/desired.json", bytes("x"))).rejects.toThrow(
      'key "../fleet/desired.json" is refused: a part of it is . or ..',
    );
    await expect(bucket.put("/etc/passwd", bytes("x"))).rejects.toThrow(
      'key "/etc/passwd" is refused: it begins or ends with /, or contains //',
    );
    await expect(bucket.put("a", "text" as never)).rejects.toThrow(
      "the body of a must be a Uint8Array, such as Buffer.from(text), and is a string",
    );
  });

  test.each(["", "handlers", "/", "../", "a//"])("takes no prefix %j", (prefix) => {
    const { whole } = setUp();
    const make = () => createPrefixedBucket({ bucket: whole, prefix });
    expect(make).toThrow(expect.objectContaining({ kind: "invalid", code: "bucket_key" }));
  });
});
