import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { createS3Caller, type S3Place } from "./s3-client.ts";
import { readFailure, translateS3Error } from "./s3-error.ts";

/** The default region of AWS. A request for it must not name a location. */
const firstRegion = "us-east-1";

/** Creates the bucket. `exists`: this account already has a bucket of that name. */
export async function makeS3Bucket(
  place: S3Place,
  { clock }: { readonly clock: Clock },
): Promise<"created" | "exists"> {
  using caller = createS3Caller(place, { clock });
  const { bucket, endpoint } = place;
  try {
    await caller.send("put", async (client, abortSignal) => {
      const region = place.region ?? (endpoint === undefined ? await client.config.region() : "");
      const isElsewhere = endpoint === undefined && region !== firstRegion && region !== "";
      const where = isElsewhere && {
        CreateBucketConfiguration: { LocationConstraint: region as "eu-west-1" },
      };
      return client.send(new CreateBucketCommand({ Bucket: bucket, ...where }), { abortSignal });
    });
    return "created";
  } catch (error) {
    const { name } = readFailure(error);
    if (name === "BucketAlreadyOwnedByYou") return "exists";
    if (name === "BucketAlreadyExists") {
      const text = `another account has a bucket ${bucket}: choose another name`;
      throw new AppError("invalid", "bucket_taken", text, { cause: error });
    }
    throw translateS3Error(error, { place: `s3://${bucket}`, operation: "put", key: "" });
  }
}
