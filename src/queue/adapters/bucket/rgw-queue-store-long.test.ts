// needs: s3
// long: stores
import { afterAll, beforeAll } from "vitest";
import { needs } from "../../../../test/support/services.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { createS3Bucket } from "../../../bucket/adapters/s3/s3-bucket.ts";
import { requireFitness, type Bucket } from "../../../bucket/index.ts";
import { createTestPlace } from "../../../bucket/testing/test-s3.ts";
import { queueSuite } from "../../testing/queue-suite.ts";
import { suiteStorage } from "./testing/suite-storage.ts";

needs(["s3"], ({ s3 }) => {
  let bucket: Bucket;
  beforeAll(async () => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    bucket = createS3Bucket({ place, clock: systemClock, random: systemRandom });
    // Once and here: clauses open with the same random numbers, and would meet in the probe.
    await requireFitness({ bucket, clock: systemClock, random: systemRandom, probe: "daily" });
  });
  afterAll(async () => bucket[Symbol.asyncDispose]());

  queueSuite({
    name: "a bucket on Ceph RGW",
    open: (time) => suiteStorage(bucket)(time),
    concurrent: true,
  });
});
