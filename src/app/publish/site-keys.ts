import { createHash } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readRegularFileSync } from "../../base/files/regular-file.ts";
import { systemRandom } from "../../base/random.ts";
import type { Paths } from "../../config/index.ts";
import { createKeySealing, makeSiteKey, type KeySealing } from "../../publish/index.ts";

/**
 * The keys of sealed sites, one file per target, mode 0600. While a key is replaced there are two
 * files: if a publish was interrupted, the next one continues with the new key, whichever of the
 * two the site uses.
 */
export interface SiteKeys {
  /** Encrypts the next version of the site. */
  readonly sealing: KeySealing;
  /** Not empty while the key is being replaced. */
  readonly oldKeys: readonly KeySealing[];
  /** Call when the site is published. */
  commit(): Promise<void>;
}

export async function openSiteKeys(
  paths: Pick<Paths, "resolve">,
  address: string,
  { isRotating }: { readonly isRotating: boolean },
): Promise<SiteKeys> {
  const file = keyFile(paths, address);
  const next = `${file}.next`;
  makeFolder(dirname(file), { mode: 0o700 });
  if (!isRotating && readKey(file) === undefined) await makeKey(file);
  if (isRotating && readKey(next) === undefined) await makeKey(next);
  const [current, following] = [readKey(file), readKey(next)];
  const sealingOf = (key: string) => createKeySealing(key, systemRandom);
  if (following === undefined) {
    return { sealing: sealingOf(current!), oldKeys: [], commit: async () => {} };
  }
  return {
    sealing: sealingOf(following),
    // The site may have been published by another folder, whose key is unknown here.
    oldKeys: [sealingOf(current ?? makeSiteKey(systemRandom))],
    commit: () => rename(next, file),
  };
}

/** A site in another mode has no secret link, so its keys are removed. */
export async function removeSiteKeys(
  paths: Pick<Paths, "resolve">,
  address: string,
): Promise<void> {
  const file = keyFile(paths, address);
  for (const one of [file, `${file}.next`]) await rm(one, { force: true });
}

const keyFile = (paths: Pick<Paths, "resolve">, address: string): string =>
  paths.resolve(
    "publish",
    `${createHash("sha256").update(address).digest("hex").slice(0, 16)}.key`,
  );

const makeKey = (file: string) =>
  createFileAtomic(file, `${makeSiteKey(systemRandom)}\n`, { mode: 0o600 });

const readKey = (file: string): string | undefined => readRegularFileSync(file)?.toString().trim();
