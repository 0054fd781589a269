import { existsSync } from "node:fs";
import type { Paths, Settings } from "../../config/index.ts";
import { locateBucket } from "./bucket-address.ts";

/**
 * The message if the bucket is a folder that does not exist: it may be on a share that is not
 * mounted, and a process that writes to it would create a second bucket. Undefined if the folder
 * exists or the bucket is not a folder.
 */
export function missingFolder(address: string | undefined): string | undefined {
  const [, folder] = /^dir:(.+)$/su.exec(address ?? "") ?? [];
  if (folder === undefined || existsSync(folder)) return undefined;
  return (
    `the folder ${folder} of the bucket does not exist: mount the share that has it, or make a new ` +
    `bucket with \`forager bucket create 'dir:${folder}'\``
  );
}

/** The same for the bucket of the settings. */
export const missingBucketFolder = async (
  settings: Pick<Settings, "bucket">,
  paths: Pick<Paths, "resolve">,
): Promise<string | undefined> =>
  missingFolder(await locateBucket({ ...settings.bucket, password: undefined }, paths));
