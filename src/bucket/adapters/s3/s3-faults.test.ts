// needs: s3
import { DeleteBucketPolicyCommand, PutBucketPolicyCommand } from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createLease } from "../../lease/lease.ts";
import { probeBucket, requireFitBucket } from "../../probe.ts";
import { bytes, textOf } from "../../testing/suite-fixture.ts";
import { createTestLink, createTestPlace } from "../../testing/test-s3.ts";
import { createS3Bucket } from "./s3-bucket.ts";
import type { S3Place } from "./s3-client.ts";

needs(["s3"], ({ s3 }) => {
  const [clock, random] = [systemClock, systemRandom];
  const open = (place: S3Place) => createS3Bucket({ place, clock, random, requestMs: 10_000 });

  describe("a real S3 server", () => {
    test("passes the probe, and the probe says how it wants ETags", async () => {
      const { place } = await createTestPlace(s3);
      await using bucket = open(place);
      const { steps, isFit, traits } = await requireFitBucket({ bucket, clock, random });
      expect(steps.filter(({ state }) => state !== "ok")).toEqual([]);
      expect(isFit).toBe(true);
      expect(traits).toMatchObject({ etags: "unquoted" });
      expect(await bucket.list("")).toEqual([]);
    });

    test("without the right to list, or to write, the probe names the right", async () => {
      const { place, client } = await createTestPlace(s3);
      const deny = async (action: string, resource: string) => {
        const statement = { Effect: "Deny", Principal: "*", Action: action, Resource: resource };
        const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
        await client.send(new PutBucketPolicyCommand({ Bucket: place.bucket, Policy }));
      };
      await using bucket = open(place);
      await deny("s3:ListBucket", `arn:aws:s3:::${place.bucket}`);
      const noList = await probeBucket({ bucket, clock, random });
      expect(noList.isFit).toBe(false);
      expect(noList.steps.filter(({ state }) => state !== "ok")).toEqual([
        {
          name: "list after put",
          state: "forbidden",
          detail: expect.stringContaining("no permission to list") as string,
        },
      ]);
      await deny("s3:PutObject", `arn:aws:s3:::${place.bucket}/*`);
      const noPut = await probeBucket({ bucket, clock, random });
      expect(noPut.steps[0]).toMatchObject({ name: "create", state: "forbidden" });
      await client.send(new DeleteBucketPolicyCommand({ Bucket: place.bucket }));
      client.destroy();
    });

    test("that goes away in the middle: the lease stands until its deadline, and is renewed after", async () => {
      const { place } = await createTestPlace(s3);
      await using link = await createTestLink(s3.endpoint);
      await using bucket = open({ ...place, endpoint: link.endpoint });
      const lease = createLease({
        bucket,
        name: "hub",
        owner: "a",
        clock,
        random,
        ttlMs: 60_000,
        marginMs: 2_000,
      });
      expect(await lease.acquire()).toEqual({ status: "held", epoch: 1 });
      link.cut();
      await expect(bucket.put("a", bytes("x"))).rejects.toMatchObject({
        code: "bucket_outcome_unknown",
      });
      const renewal = lease.renew();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(lease.isHeld()).toBe(true);
      link.mend();
      expect(await renewal).toBe("held");
      await bucket.put("a", bytes("y"));
      expect(await textOf(bucket, "a")).toBe("y");
    });

    test("where someone else writes at our key, nothing of theirs is touched", async () => {
      const { place } = await createTestPlace(s3);
      await using bucket = open(place);
      await bucket.put("lease/hub.json", bytes("shopping list"));
      const lease = createLease({ bucket, name: "hub", owner: "a", clock, random });
      await expect(lease.acquire()).rejects.toMatchObject({ code: "lease_corrupt" });
      expect(await textOf(bucket, "lease/hub.json")).toBe("shopping list");
    });
  });
});
