import { systemClock } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { existsSync } from "node:fs";
import { openBucket, parseS3 } from "./open-bucket.ts";

/** Creates the bucket of a `bucket.url`: an S3 bucket, a folder, or the table in a database. */
export async function createBucket(address: string): Promise<"created" | "exists"> {
  if (address.startsWith("s3://")) {
    const place = parseS3(address);
    const { makeS3Bucket } = await import("../../bucket/adapters/s3/make-bucket.ts");
    return makeS3Bucket(place, { clock: systemClock });
  }
  const root = address.startsWith("dir:") ? address.slice("dir:".length) : "";
  const isThere = root !== "" && existsSync(root);
  // Rejects an invalid address. A database creates its table at the first request.
  await using bucket = await openBucket(address);
  if (root !== "" && !isThere) makeFolder(root, { mode: 0o700 });
  else if (root === "") await bucket.list("", { limit: 1 });
  return root !== "" && isThere ? "exists" : "created";
}
