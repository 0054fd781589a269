import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { openDirectoryBucket } from "../adapters/directory/directory-bucket.ts";
import type { S3Place } from "../adapters/s3/s3-client.ts";
import type { Bucket } from "../bucket.ts";

/** The store of a race, in a form that can be passed to another process. */
export type SharedBucket =
  | { readonly kind: "directory"; readonly root: string }
  | { readonly kind: "postgres"; readonly url: string; readonly table: string }
  | { readonly kind: "s3"; readonly place: S3Place };

/** Loads only the modules it needs, because eight processes start at once. */
export async function openSharedBucket(shared: SharedBucket): Promise<Bucket> {
  const [clock, random] = [systemClock, systemRandom];
  switch (shared.kind) {
    case "directory":
      return openDirectoryBucket({ root: shared.root, clock, random });
    case "postgres": {
      const { openPostgresBucket } = await import("../adapters/postgres/postgres-bucket.ts");
      return openPostgresBucket(shared);
    }
    case "s3": {
      const { createS3Bucket } = await import("../adapters/s3/s3-bucket.ts");
      return createS3Bucket({ place: shared.place, clock, random, requestMs: 10_000 });
    }
  }
}
