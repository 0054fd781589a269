import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBucket } from "./open-bucket.ts";

test("a folder is opened by its path", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await using bucket = await openBucket(`dir:${folder}/bucket`);
  expect((await bucket.putIfAbsent("a", Buffer.from("x"))).status).toBe("created");
});

test("S3 takes endpoint, region and path style from the address; a prefix ends with a slash", async () => {
  const address = "s3://my-bucket/fleet/one?endpoint=http://127.0.0.1:9&region=eu&pathStyle=true";
  await using bucket = await openBucket(address);
  expect(bucket.traits()).toEqual({ place: "s3://my-bucket/fleet/one/" });
});

test.each([
  ["", "must start with"],
  ["ftp://x", "must start with"],
  ["dir:", "path is missing"],
  ["s3://", "name of the bucket"],
  ["s3://b", "name of the bucket"],
  ["s3://bucket?regoin=eu", "no regoin"],
  ["s3://bucket?pathStyle=yes", "true or false"],
  ["s3://bucket?endpoint=localhost", "endpoint is a URL"],
  ["s3://key:secret@bucket", "credentials do not belong"],
])("%j is refused, with the reason and without secrets", async (address, why) => {
  const refused = expect(openBucket(address)).rejects;
  await refused.toMatchObject({ kind: "invalid", code: "bucket_address" });
  await expect(openBucket(address)).rejects.toThrow(why);
  await expect(openBucket(address)).rejects.not.toThrow("secret@");
});
