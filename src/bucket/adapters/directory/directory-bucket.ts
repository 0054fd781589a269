import { createHash } from "node:crypto";
import fs from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../base/app-error.ts";
import { closable } from "../../../base/closable.ts";
import type { Clock } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import type { Random } from "../../../base/random.ts";
import { syncFolderAsync } from "../../../base/files/atomic-file.ts";
import { makeSyncedFolder, syncFolder } from "../../../base/files/synced-folder.ts";
import { listLimitMax, type Bucket, type ListedObject } from "../../bucket.ts";
import { checkBody, checkKey, checkListing, compareKeys } from "../../key.ts";
import { translateDirectoryError } from "./directory-error.ts";
import { openDirectoryLock, type LockedStep } from "./directory-lock.ts";
import { checkFolder, removeOldTemporaries, writeTemporary } from "./files.ts";
import { keyOfPath, objectPath } from "./object-path.ts";

export interface DirectoryBucketOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Permission bits of its files, regardless of the umask. Absent: the default mode. */
  readonly fileMode?: number;
}

/**
 * Bucket in a folder of a local disk, for the processes of one machine. An object is a file, and
 * its ETag is the digest of its bytes. A write first creates and syncs a temporary file. Then,
 * under the lock, it checks the condition and renames the file into place, so a reader sees the
 * complete old object or the complete new one, also after a crash. `.forager/` in the folder holds
 * the lock and the temporary files.
 */
export function openDirectoryBucket(options: DirectoryBucketOptions): Bucket {
  const { root, clock, random, fileMode } = options;
  const inside = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw translateDirectoryError(error, root);
    }
  };
  const own = join(root, ".forager");
  const lock = inside(() => {
    checkFolder(root);
    makeSyncedFolder(join(own, "new"));
    removeOldTemporaries(join(own, "new"), clock.nowMs());
    return openDirectoryLock(join(own, "lock.db"), clock);
  });

  /**
   * An object is missing only if the bucket itself exists: its disk may be unmounted, or its folder
   * moved away.
   */
  const checkRoot = () => {
    if (!fs.existsSync(own)) throw bucketGone(root);
  };

  /** `isAllowed` gets the current ETag of the object; undefined if there is no object. */
  const write = async (
    key: string,
    body: Uint8Array,
    isAllowed: (current: () => string | undefined) => boolean,
  ): Promise<string | undefined> => {
    checkBody(key, body);
    checkRoot();
    const path = objectPath(root, key);
    const temporary = join(own, "new", createId(random));
    try {
      await writeTemporary(temporary, body, fileMode);
      const etag = await lock.run(({ nowMs }: LockedStep) => {
        if (!isAllowed(() => etagOfFile(path))) return undefined;
        makeFolders(path);
        fs.utimesSync(temporary, nowMs / 1_000, nowMs / 1_000);
        fs.renameSync(temporary, path);
        return etagOf(body);
      });
      // Not under the lock, which allows no await: other work of this process would wait for the
      // disk. If the folder is gone, the object was deleted meanwhile.
      if (etag !== undefined) await syncFolderAsync(dirname(path)).catch(orAbsent);
      return etag;
    } catch (error) {
      throw translateDirectoryError(error, path);
    } finally {
      fs.rmSync(temporary, { force: true });
    }
  };

  return {
    async get(key, { ifNoneMatch } = {}) {
      checkKey(key);
      const path = objectPath(root, key);
      try {
        const [body, { mtimeMs }] = await readWhole(path);
        let etag = ifNoneMatch === undefined ? undefined : etagOf(body);
        if (etag !== undefined && etag === ifNoneMatch) return { status: "unchanged" };
        const modifiedAtMs = Math.floor(mtimeMs);
        return {
          status: "found",
          body,
          // Computed on demand: it takes as long as reading, and callers that list millions do not
          // need it.
          get etag() {
            return (etag ??= etagOf(body));
          },
          modifiedAtMs,
          seenAtMs: lock.nowMs(),
        };
      } catch (error) {
        if (!isAbsent(error)) throw translateDirectoryError(error, path);
        checkRoot();
        return { status: "absent" };
      }
    },
    async putIfAbsent(key, body) {
      const etag = await write(key, body, (current) => current() === undefined);
      return etag === undefined ? { status: "exists" } : { status: "created", etag };
    },
    async putIfMatch(key, body, expected) {
      const etag = await write(key, body, (current) => current() === expected);
      return etag === undefined ? { status: "stale" } : { status: "written", etag };
    },
    async put(key, body) {
      return { etag: (await write(key, body, () => true))! };
    },
    async delete(key) {
      checkKey(key);
      const path = objectPath(root, key);
      try {
        await lock.run(() => {
          fs.rmSync(path);
          syncFolder(dirname(path));
          removeEmptyFolders(root, dirname(path));
        });
      } catch (error) {
        if (!isAbsent(error)) throw translateDirectoryError(error, path);
      }
    },
    async list(prefix, listing = {}) {
      checkListing(prefix, listing);
      const { startAfter = "", limit = listLimitMax } = listing;
      checkRoot();
      const keys = inside(() => walk(root, prefix))
        .filter((key) => key.startsWith(prefix) && compareKeys(key, startAfter) > 0)
        .sort(compareKeys);
      const listed: ListedObject[] = [];
      for (const key of keys) {
        if (listed.length === limit) break;
        const found = await readWhole(objectPath(root, key)).catch((error: unknown) => {
          if (isAbsent(error)) return undefined; // deleted after it was listed
          throw translateDirectoryError(error, key);
        });
        if (!found) continue;
        const [body, { mtimeMs }] = found;
        const [bytes, modifiedAtMs] = [body.byteLength, Math.floor(mtimeMs)];
        listed.push({ key, etag: etagOf(body), bytes, modifiedAtMs });
      }
      return listed;
    },
    now: async () => ({ earliestMs: lock.nowMs(), latestMs: lock.nowMs() }),
    traits: () => ({ folder: root }),
    ...closable(async () => lock[Symbol.dispose]()),
  };
}

const bucketGone = (root: string) =>
  new AppError(
    "unavailable",
    "bucket_gone",
    `the bucket in the folder ${root} has disappeared since this process opened it: mount its disk again, or put the folder back`,
  );

const etagOf = (body: Uint8Array): string => createHash("sha256").update(body).digest("hex");

/**
 * Body and time of the same content: files are replaced and never modified, so an open file does
 * not change.
 */
async function readWhole(path: string): Promise<readonly [Uint8Array, fs.Stats]> {
  const file = await open(path, "r");
  try {
    const stats = await file.stat();
    const body = Buffer.allocUnsafe(stats.size);
    let length = 0;
    for (let more = 1; more > 0 && length < body.length; length += more) {
      more = (await file.read(body, length, body.length - length)).bytesRead;
    }
    if (stats.isDirectory()) await file.read(body); // fails with EISDIR: a folder is not an object
    return [body.subarray(0, length), stats];
  } finally {
    await file.close();
  }
}

function etagOfFile(path: string): string | undefined {
  try {
    return etagOf(fs.readFileSync(path));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function makeFolders(path: string): void {
  makeSyncedFolder(dirname(path));
  if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const message = `${path} is a folder with objects in it: choose a key that is not a prefix of others`;
    throw new AppError("invalid", "bucket_key_taken", message);
  }
}

function removeEmptyFolders(root: string, folder: string): void {
  for (let at = folder; at.length > root.length; at = dirname(at)) {
    if (fs.readdirSync(at).length > 0) return;
    fs.rmdirSync(at);
  }
}

/** All keys below the deepest folder that contains every key with this prefix. */
function walk(root: string, prefix: string): readonly string[] {
  const folder = prefix.includes("/") ? prefix.slice(0, prefix.lastIndexOf("/")) : "";
  const start = folder === "" ? [] : objectPath("", folder).split("/");
  if (folder !== "" && !fs.statSync(join(root, ...start), { throwIfNoEntry: false })?.isDirectory())
    return [];
  const keys: string[] = [];
  const visit = (names: readonly string[]) => {
    for (const entry of entriesOf(join(root, ...names))) {
      if (entry.name.startsWith(".")) continue;
      const path = [...names, entry.name];
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) keys.push(...[keyOfPath(path)].filter((key) => key !== undefined));
    }
  };
  visit(start);
  return keys;
}

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return []; // the folder was removed with its last object
    throw error;
  }
}

function orAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}

/**
 * ENOTDIR and EISDIR: a part of the key is the name of an object, or the key is the folder of other
 * objects.
 */
function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR";
}
