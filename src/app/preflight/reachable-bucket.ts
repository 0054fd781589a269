import { withDeadline } from "../../base/with-deadline.ts";
import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { createMissingBucket } from "../bucket/create-bucket.ts";
import { openFleetBucket } from "../bucket/fleet-bucket.ts";

const answerMs = 5_000;
/** Never written: that it does not exist is a valid answer. */
const key = "preflight";

/**
 * Nodes of a fleet get places, campaigns and often their tasks through the bucket: if it is
 * configured and does not answer, this throws before work begins. Without `bucket.url` it does
 * nothing. Resolves with a note for the operator, for example that a missing folder is created.
 */
export async function requireBucket(settings: Settings, paths: Paths): Promise<string | undefined> {
  if (settings.bucket.url === undefined) return undefined;
  try {
    const made = await createMissingBucket({ settings, paths });
    await using bucket = await openFleetBucket({ settings, paths }, "command");
    const hasAnswered = await withDeadline(bucket.get(key), { clock: systemClock, ms: answerMs });
    if (!hasAnswered) throw unusable(`it did not answer within ${answerMs / 1_000} s`);
    return made;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
    throw unusable(error.message, error);
  }
}

const unusable = (why: string, cause?: unknown): AppError =>
  new AppError(
    "unavailable",
    "bucket_unavailable",
    `the bucket of bucket.url cannot be used, so nothing was started: ${why} - \`forager doctor\` checks it`,
    { cause },
  );
