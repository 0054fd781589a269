import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { resourceName } from "../../campaign/index.ts";
import { bodyBytesMax } from "../../bucket/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { openRetryingFleetBucket } from "../bucket/fleet-bucket.ts";

export interface UploadExportOptions {
  readonly settings: Pick<Settings, "bucket">;
  readonly paths: Pick<Paths, "resolve" | "environment">;
  readonly campaign: string;
  /** The path of the export; its description is next to it. */
  readonly file: string;
  readonly signal: AbortSignal;
}

/** The key of an export in the fleet's bucket. Everybody who can read the bucket can read it. */
export const exportKey = (
  owner: { readonly campaign: string; readonly environment?: string | undefined },
  name: string,
): string => `${resourceName("exports", owner)}/${name}`;

/** Copies an export and its description into the fleet's bucket. Returns the key of the export. */
export async function uploadExport(options: UploadExportOptions): Promise<string> {
  const { settings, paths, campaign, file, signal } = options;
  const { size } = await stat(file);
  if (size > bodyBytesMax) {
    const words = `${file} has ${size} bytes, and an object at most ${bodyBytesMax}: export less at once, by --city or --columns`;
    throw new AppError("invalid", "export_too_big", words);
  }
  await using bucket = await openRetryingFleetBucket({ settings, paths, signal });
  const key = exportKey({ campaign, environment: paths.environment() }, basename(file));
  await bucket.put(key, await readFile(file));
  await bucket.put(`${key}.about.json`, await readFile(`${file}.about.json`));
  const licences = await readFile(`${file}.LICENCES.txt`).catch(() => undefined);
  if (licences) await bucket.put(`${key}.LICENCES.txt`, licences);
  else await bucket.delete(`${key}.LICENCES.txt`); // of an earlier export with this key
  return key;
}
