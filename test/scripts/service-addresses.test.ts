// needs: s3
// inputs: scripts/services/** src/** package.json tsconfig.json tsconfig.build.json
import { expect, test } from "vitest";
import { foragerAddresses } from "../../scripts/services/forager-addresses.ts";
import { createSandbox } from "../support/built-cli.ts";
import { needs } from "../support/services.ts";

test("a server that was not started has no address", () => {
  expect(foragerAddresses({})).toEqual([]);
  expect(foragerAddresses({ FORAGER_TEST_POSTGRES_URL: "postgres://h/d" })).toEqual([
    "a queue and bucket in PostgreSQL:",
    "  forager up --queue 'postgres://h/d'",
  ]);
});

needs(["s3"], ({ s3 }) => {
  test("the lines that `npm run services` prints for S3 run as they are printed", async () => {
    const lines = foragerAddresses({
      FORAGER_TEST_S3_ENDPOINT: s3.endpoint,
      FORAGER_TEST_S3_REGION: s3.region,
      FORAGER_TEST_S3_ACCESS_KEY: s3.accessKey,
      FORAGER_TEST_S3_SECRET_KEY: s3.secretKey,
    }).slice(1);
    const sandbox = await createSandbox();
    const script = [
      'forager() { "$FORAGER_TEST_NODE" "$FORAGER_TEST_MAIN" "$@"; }',
      ...lines.map((line) => line.replace("forager up --bucket", "forager bucket ls")),
    ].join("\n");
    const env = { FORAGER_TEST_NODE: process.execPath };
    const { exitCode, stderr } = await sandbox.run("sh", ["-ec", script], { env });
    sandbox.remove();
    expect(exitCode, stderr).toBe(0);
  });
});
