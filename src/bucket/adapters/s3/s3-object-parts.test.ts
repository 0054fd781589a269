// needs: s3
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createTestPlace } from "../../testing/test-s3.ts";
import { createS3Bucket } from "./s3-bucket.ts";
import { openS3Object } from "./s3-object-parts.ts";

needs(["s3"], ({ s3 }) => {
  test("parts of an object on S3: its tail, any range, and never of another version", async () => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    await using bucket = createS3Bucket({ place, clock: systemClock, random: systemRandom });
    await bucket.put("a/b.bin", Buffer.from("0123456789"));
    using object = openS3Object(place, "a/b.bin", systemClock);
    const tail = await object.tail(4);
    expect([tail?.size, tail?.bytes.toString()]).toEqual([10, "6789"]);
    const { etag } = tail!;
    expect((await object.read({ from: 2, to: 5, etag }))?.toString()).toBe("234");
    await bucket.put("a/b.bin", Buffer.from("abcdefghij"));
    expect(await object.read({ from: 2, to: 5, etag })).toBeUndefined();
    await bucket.delete("a/b.bin");
    expect(await object.tail(4)).toBeUndefined();
    expect(await object.read({ from: 2, to: 5, etag })).toBeUndefined();
  });
});
