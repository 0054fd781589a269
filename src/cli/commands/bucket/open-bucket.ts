import { openBucket } from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { systemClock } from "../../../base/clock.ts";
import { systemRandom } from "../../../base/random.ts";
import { usageError } from "../../../base/usage-error.ts";
import { createRetryingBucket, type Bucket } from "../../../bucket/index.ts";
import type { ArgumentSpec, BareContext } from "../../command.ts";

export const addressArgument: ArgumentSpec = {
  name: "bucket",
  summary: "s3://BUCKET/PREFIX, dir:PATH or postgres://HOST/DATABASE",
};

/** As the store is: for a probe, which must see every answer. */
export async function openRawBucket(address: string): Promise<Bucket> {
  // `doctor` says which Node is needed; the SDK would say it again with every command.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  try {
    return await openBucket(address);
  } catch (error) {
    const isAddress = error instanceof AppError && error.code === "bucket_address";
    throw isAddress ? usageError(error.message, { cause: error }) : error;
  }
}

/** For everything else: what got no answer is asked again. */
export async function openPatientBucket({ args, signal }: BareContext): Promise<Bucket> {
  const bucket = await openRawBucket(args[0] ?? "");
  return createRetryingBucket({ bucket, clock: systemClock, random: systemRandom, signal });
}

/** A key stood on the command line; what the store refuses for other reasons did not. */
export async function keyAsUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isKey = error instanceof AppError && error.code === "bucket_key";
    throw isKey ? usageError(error.message, { cause: error }) : error;
  }
}
