import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import type { Bucket } from "../../bucket/index.ts";
import {
  defaultsName,
  isEditedHere,
  openCampaignFolder,
  openSharedConfigs,
} from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import { createConfigLock } from "../node/config-lock.ts";
import {
  hasFleetBucket,
  openFleetBucket,
  type FleetBucketOptions,
} from "../bucket/fleet-bucket.ts";

export interface FetchConfigsOptions extends FleetBucketOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  /** Also fetches newer versions, unless a user has edited the local file. */
  readonly isNewest?: boolean;
}

/**
 * Fetches configurations that the fleet's bucket has and this node does not: of one campaign, or of
 * all. Without a bucket this does nothing. Returns the reason if the bucket cannot be used.
 */
export async function fetchMissingConfigs(
  options: FetchConfigsOptions,
  name?: string,
): Promise<string | undefined> {
  if (!hasFleetBucket(options)) return undefined;
  const { paths, clock, isNewest = false } = options;
  const here = await openCampaignFolder(paths).list();
  if (name !== undefined && here.includes(name) && !isNewest) return undefined;
  let bucket: Bucket | undefined;
  try {
    bucket = await openFleetBucket(options, "command");
    const shared = openSharedConfigs({
      paths,
      bucket,
      clock,
      random: systemRandom,
      lock: createConfigLock({ paths, clock }),
    });
    const wanted = name === undefined ? await shared.list() : [defaultsName, name];
    for (const one of wanted.filter((known) => isNewest || !here.includes(known))) {
      const [config, local] = [await shared.read(one), await shared.local(one)];
      const isMissing = local.text === undefined;
      if (config && (isMissing || (isNewest && !isEditedHere(local))))
        await shared.take(one, config);
    }
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  } finally {
    await bucket?.close();
  }
}
