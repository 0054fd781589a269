import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { startFauxqs } from "fauxqs";
import { expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { requireFitBucket } from "../../probe.ts";
import { createS3Bucket } from "./s3-bucket.ts";

test("O10, lesson 30: a real server that ignores conditions is refused, with the reason", async () => {
  const server = await startFauxqs({ port: 0, logger: false });
  try {
    const endpoint = `http://127.0.0.1:${server.port}`;
    const [region, credentials] = ["us-east-1", { accessKeyId: "a", secretAccessKey: "b" }];
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: "fleet" }));
    client.destroy();
    const place = { bucket: "fleet", prefix: "", endpoint, region, credentials };
    const [clock, random] = [systemClock, systemRandom];
    await using bucket = createS3Bucket({ place, clock, random });
    const refused = requireFitBucket({ bucket, clock, random });
    await expect(refused).rejects.toMatchObject({ kind: "invalid", code: "bucket_unfit" });
    await expect(refused).rejects.toThrow(
      /reject create: If-None-Match is ignored.*reject stale: If-Match is ignored.*32 of 32 racers/,
    );
  } finally {
    await server.stop();
  }
});
