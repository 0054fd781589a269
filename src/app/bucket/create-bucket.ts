import { existsSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { missingFolder } from "./bucket-folder.ts";
import { fleetBucketAddress, hasFleetBucket, type FleetBucketOptions } from "./fleet-bucket.ts";
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

/**
 * Call before a write: creates the folder of the fleet's bucket if it does not exist. Resolves to a
 * note for the user if it was created.
 */
export async function createMissingBucket(
  options: FleetBucketOptions,
): Promise<string | undefined> {
  if (!hasFleetBucket(options)) return undefined;
  const address = await fleetBucketAddress(options);
  const missing = missingFolder(address);
  if (missing === undefined) return undefined;
  await createBucket(address);
  return `${missing}; it is created now`;
}
