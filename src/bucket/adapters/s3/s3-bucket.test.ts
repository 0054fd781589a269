// needs: s3
import { describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { systemClock, type Clock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { bucketSuite } from "../../testing/bucket-suite.ts";
import { bytes, textOf } from "../../testing/suite-fixture.ts";
import { createTestPlace } from "../../testing/test-s3.ts";
import { createS3Bucket } from "./s3-bucket.ts";
import type { S3Place } from "./s3-client.ts";

needs(["s3"], ({ s3 }) => {
  const credentials = { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey };
  const freshPlace = async (): Promise<S3Place> => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    return place;
  };
  const open = (place: S3Place, clock: Clock = systemClock) =>
    createS3Bucket({ place, clock, random: systemRandom, requestMs: 10_000 });

  bucketSuite({
    name: "s3",
    open: async () => {
      const place = await freshPlace();
      return { bucket: open(place), openAnother: async () => open(place) };
    },
  });

  describe("a bucket on S3", () => {
    test("learns how this server wants its ETags, once", async () => {
      await using bucket = open(await freshPlace());
      const { etag } = await bucket.put("a", bytes("one"));
      expect(bucket.traits()).not.toHaveProperty("etags");
      await bucket.putIfMatch("a", bytes("two"), etag);
      expect(bucket.traits()).toMatchObject({ etags: "unquoted" });
      expect((await bucket.list("")).map(({ key }) => key)).toEqual(["a"]);
    });

    test("stays below its prefix", async () => {
      const place = await freshPlace();
      await using bucket = open(place);
      await using whole = open({ ...place, prefix: "" });
      await whole.put("outside", bytes("x"));
      await bucket.put("a", bytes("y"));
      expect((await bucket.list("")).map(({ key }) => key)).toEqual(["a"]);
      expect(await textOf(whole, "some/prefix/a")).toBe("y");
    });

    test("works though this machine's clock is 20 minutes wrong, either way", async () => {
      for (const stepMs of [1_200_000, -1_200_000]) {
        const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + stepMs };
        await using bucket = open(await freshPlace(), clock);
        const answers = await Promise.all([
          bucket.putIfAbsent("a", bytes("one")),
          bucket.putIfAbsent("b", bytes("two")),
        ]);
        expect(answers.map(({ status }) => status)).toEqual(["created", "created"]);
        const { earliestMs, latestMs } = await bucket.now();
        expect(earliestMs - 3_000).toBeLessThan(systemClock.nowMs());
        expect(latestMs + 3_000).toBeGreaterThan(systemClock.nowMs());
      }
    });

    test("names wrong credentials, a missing bucket and a missing right for what they are", async () => {
      const place = await freshPlace();
      const wrong = async (changed: Partial<S3Place>, code: string) => {
        await using bucket = open({ ...place, ...changed });
        for (const call of [
          () => bucket.get("a"),
          () => bucket.putIfAbsent("a", bytes("x")),
          () => bucket.list(""),
        ]) {
          await expect(call()).rejects.toMatchObject({ kind: "invalid", code });
        }
      };
      await wrong(
        { credentials: { ...credentials, secretAccessKey: "wrong" } },
        "bucket_credentials",
      );
      await wrong({ credentials: { ...credentials, accessKeyId: "nobody" } }, "bucket_credentials");
      await wrong({ bucket: `${place.bucket}x` }, "bucket_missing");
    });

    test("a server that is down leaves writes open, and says so", async () => {
      await using bucket = open({ ...(await freshPlace()), endpoint: "http://127.0.0.1:9" });
      const down = { kind: "unavailable", code: "bucket_outcome_unknown" };
      await expect(bucket.putIfAbsent("a", bytes("x"))).rejects.toMatchObject(down);
      await expect(bucket.get("a")).rejects.toMatchObject({ code: "bucket_unavailable" });
    });
  });
});
