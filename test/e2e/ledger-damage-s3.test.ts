// needs: s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { onTestFinished, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createSandbox } from "../support/built-cli.ts";
import { damages, expectSafeAdvice } from "../support/damaged-journal.ts";
import { needs } from "../support/services.ts";

needs(["s3"], ({ s3 }) => {
  test.each(Object.entries(damages))(
    "%s: with an S3 bucket the advice is safe, and the node has its history again",
    async (name, damage) => {
      const sandbox = await createSandbox({ hasSharedProcess: true });
      onTestFinished(() => sandbox.remove());
      const { place } = await createTestPlace(s3);
      await expectSafeAdvice({
        sandbox,
        damage,
        hasCheckpoint: name.includes("deleted"),
        bucket: `s3://${place.bucket}/fleet?endpoint=${s3.endpoint}&region=${s3.region}`,
        env: { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey },
      });
    },
  );
});
