import { chmodSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { systemRandom } from "../../base/random.ts";
import { createRetryingBucket, type Bucket } from "../../bucket/index.ts";
import { manifestFile, partsFolder, type SiteMode } from "../../publish/index.ts";
import { openMeteredBucket, parseS3, processMeter } from "../bucket/open-bucket.ts";

/** Where a site is written to. */
export interface SiteTarget extends AsyncDisposable {
  /** With an absolute path. */
  readonly address: string;
  readonly bucket: Bucket;
}

/** Normalizes an address as it is stored. Throws `site_target` if it is invalid. */
export function siteAddress(target: string, cwd: string): string {
  if (target.startsWith("dir:") && target.length > "dir:".length) {
    const path = target.slice("dir:".length);
    return `dir:${isAbsolute(path) ? path : resolve(cwd, path)}`;
  }
  if (target.startsWith("s3://")) {
    parseS3(target);
    return target;
  }
  const message = `'${target}' is not a valid target of a site: give dir:FOLDER or s3://BUCKET/PREFIX`;
  throw new AppError("invalid", "site_target", message);
}

const ownMode = 0o700;

/** A folder that is created for a site is accessible to its owner only. */
export async function openSiteTarget(address: string, signal: AbortSignal): Promise<SiteTarget> {
  const folder = folderOf(address);
  if (folder !== undefined) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() === false) {
      const message = `${folder} is a file: choose a folder for the site`;
      throw new AppError("invalid", "site_target", message);
    }
    if (!found) makeFolder(folder, { mode: ownMode });
  }
  const opened = (await openMeteredBucket(address))("publish");
  const bucket = createRetryingBucket({ bucket: opened, clock: systemClock, random: systemRandom, signal }); // prettier-ignore
  return { address, bucket, [Symbol.asyncDispose]: () => opened.close() };
}

/**
 * Call when it is certain that the target is a site. Removes other users' access to a private
 * folder.
 */
export function closeToOthers(address: string, mode: SiteMode): void {
  const folder = folderOf(address);
  if (folder !== undefined && mode === "private") chmodSync(folder, ownMode);
}

const folderOf = (address: string): string | undefined =>
  address.startsWith("dir:") ? address.slice("dir:".length) : undefined;

export interface PrivacyProof {
  /** `folder`: the site is protected by the permissions of the file system. */
  readonly state: "private" | "public" | "folder";
  /** What somebody without credentials can do. */
  readonly detail: string;
}

/**
 * Requests the manifest, a part of the site, and the list of objects without credentials, because a
 * bucket's rule can open some folders only. If there is no site yet, two objects without data are
 * written for the test: S3 answers 403 for a missing object even in a public bucket.
 */
export async function provePrivate({ address, bucket }: SiteTarget): Promise<PrivacyProof> {
  if (!address.startsWith("s3://")) {
    return { state: "folder", detail: "a folder that only its owner can read" };
  }
  const { testAnonymousAccess } = await import("../../bucket/adapters/s3/anonymous-access.ts");
  const [part] = await bucket.list(partsFolder, { limit: 1 });
  const id = createId(systemRandom);
  const own = part ? [] : [`probe-${id}`, `${partsFolder}probe-${id}`];
  try {
    for (const key of own) await bucket.put(key, Buffer.from("is this private?\n"));
    const keys = part ? [manifestFile, part.key] : own;
    const { canRead, canList } = await testAnonymousAccess(parseS3(address), keys, {
      clock: systemClock,
      onRequest: (operation, used) => processMeter.add("publish", operation, used),
    });
    const detail = [
      ...(canRead ? ["anybody can read its objects"] : []),
      ...(canList ? ["anybody can list its objects"] : []),
    ].join(" and ");
    return canRead || canList
      ? { state: "public", detail }
      : { state: "private", detail: "requests without credentials are refused" };
  } finally {
    for (const key of own) await bucket.delete(key);
  }
}
