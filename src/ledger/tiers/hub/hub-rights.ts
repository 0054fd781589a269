import { AppError } from "../../../base/app-error.ts";
import { impossibleEtag, leaseKey, type Bucket } from "../../../bucket/index.ts";
import {
  archivePrefix,
  boundaryKey,
  hubLease,
  manifestsPrefix,
  partsPrefix,
  segmentsPrefix,
} from "../keys.ts";

/** No object of the ledger has such a name. */
const name = "rights-probe";

/**
 * Names the rights that a hub needs and does not have; empty: it has all. Ten requests, none of
 * which changes anything: writes with a condition that cannot hold, and deletes of missing objects.
 */
export async function missingHubRights(bucket: Bucket): Promise<readonly string[]> {
  const missing: string[] = [];
  const needs = async (right: string, request: () => Promise<unknown>) => {
    try {
      await request();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "bucket_forbidden") throw error;
      missing.push(right);
    }
  };
  for (const prefix of [segmentsPrefix, partsPrefix]) {
    await needs(`list ${prefix}`, () => bucket.list(prefix, { limit: 1 }));
  }
  const written = [
    `${partsPrefix}${name}`,
    `${manifestsPrefix}${name}`,
    `${archivePrefix}${name}`,
    boundaryKey,
    leaseKey(hubLease),
  ];
  for (const key of written) {
    await needs(`write ${folderOf(key)}`, () =>
      bucket.putIfMatch(key, new Uint8Array(), impossibleEtag),
    );
  }
  for (const prefix of [segmentsPrefix, partsPrefix, manifestsPrefix]) {
    await needs(`delete ${prefix}`, () => bucket.delete(`${prefix}${name}`));
  }
  return [...new Set(missing)];
}

const folderOf = (key: string) => key.slice(0, key.lastIndexOf("/") + 1);
