import { createReadStream, existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import { AppError } from "../../base/app-error.ts";
import { translateFileError, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { systemClock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { systemRandom } from "../../base/random.ts";
import { createRetryingBucket, listLimitMax, type Bucket } from "../../bucket/index.ts";
import { openMeteredBucket } from "../bucket/open-bucket.ts";
import { damaged } from "./backup-format.ts";

/** Where backups are kept: one file, or a folder or bucket with any number of them. */
export interface BackupStore extends AsyncDisposable {
  /** Address with an absolute path. */
  readonly address: string;
  /** Atomic: a process that is killed while writing leaves no backup. Returns the name of the backup. */
  write(chunks: AsyncIterable<Uint8Array>, at: string): Promise<string>;
  /** Newest first. */
  list(): Promise<readonly StoredBackup[]>;
  read(backup: StoredBackup): AsyncIterable<Uint8Array>;
  remove(backup: StoredBackup): Promise<void>;
}

export interface StoredBackup {
  readonly name: string;
  /** ISO moment. */
  readonly at: string;
  readonly bytes: number;
}

export interface OpenBackupStoreOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Create the folder if it does not exist. */
  readonly isMade?: boolean;
}

/** `FILE`, `dir:FOLDER` or `s3://BUCKET/PREFIX`. */
export async function openBackupStore(
  target: string,
  { cwd, signal, isMade = false }: OpenBackupStoreOptions,
): Promise<BackupStore> {
  if (target === "") throw refused("no file, folder or bucket is named");
  if (/^(?:s3|dir):/.test(target)) {
    const address = absolute(target, cwd);
    const folder = /^dir:(.*)$/s.exec(address)?.[1];
    if (folder !== undefined && isMade) makeFolder(folder, { mode: 0o700 });
    if (folder !== undefined && !existsSync(folder)) throw refused(`there is no folder ${folder}`);
    return openBucketStore(address, signal);
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(target)) {
    throw refused(`'${target}' is neither a file nor dir:FOLDER nor s3://BUCKET/PREFIX`);
  }
  return openFileStore(resolve(cwd, target));
}

const refused = (message: string) => new AppError("invalid", "backup_target", message);

const absolute = (target: string, cwd: string) =>
  target.startsWith("dir:") ? `dir:${resolve(cwd, target.slice("dir:".length))}` : target;

function openFileStore(file: string): BackupStore {
  return {
    address: file,
    async write(chunks) {
      if (existsSync(file)) {
        const what = statSync(file).isDirectory() ? `a folder: give dir:${file}, or a file in it` : "there already: choose another name"; // prettier-ignore
        throw refused(`${file} is ${what}`);
      }
      makeFolder(dirname(file), { mode: 0o700 });
      await writeFileAtomic(file, chunks, { mode: 0o600 });
      return basename(file);
    },
    async list() {
      const found = statSync(file, { throwIfNoEntry: false });
      if (!found) throw refused(`there is no file ${file}`);
      if (!found.isFile()) throw refused(`${file} is not a file${found.isDirectory() ? `: give dir:${file}` : ""}`); // prettier-ignore
      return [{ name: basename(file), at: found.mtime.toISOString(), bytes: found.size }];
    },
    async *read() {
      try {
        yield* createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>;
      } catch (error) {
        throw translateFileError(error, file);
      }
    },
    remove: async () => {
      throw refused(
        "a backup in a single file is not removed by forager: delete the file yourself",
      );
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const partBytes = 16 * 2 ** 20;
const endName = "backup.json";
const endSchema = z.object({
  format: z.literal("forager-backup-parts"),
  at: z.string(),
  parts: z.int(),
  bytes: z.int(),
});
/** Limit for listing; nobody keeps that many. */
const backupsMax = 10_000;

/**
 * In a bucket the archive is split into parts, `NAME/000001.part` and so on. `NAME/backup.json` is
 * written last: without that object the backup does not exist.
 */
async function openBucketStore(address: string, signal: AbortSignal): Promise<BackupStore> {
  const opened = (await openMeteredBucket(address))("command");
  const bucket = createRetryingBucket({ bucket: opened, clock: systemClock, random: systemRandom, signal }); // prettier-ignore
  return {
    address,
    async write(chunks, at) {
      const name = `${at.slice(0, 19).replaceAll(":", "-")}Z-${createId(systemRandom, 6)}`;
      let [parts, bytes] = [0, 0];
      for await (const part of inParts(chunks)) {
        signal.throwIfAborted();
        parts += 1;
        bytes += part.length;
        await bucket.put(partKey(name, parts), part);
      }
      const end = { format: "forager-backup-parts", at, parts, bytes } as const;
      await bucket.put(`${name}/${endName}`, Buffer.from(`${JSON.stringify(end)}\n`));
      return name;
    },
    async list() {
      const names = await completeBackups(bucket);
      const found = await Promise.all(names.map((name) => endOf(bucket, name)));
      return found.toSorted((a, b) => (a.at < b.at ? 1 : -1));
    },
    async *read({ name }) {
      const { parts } = await endOf(bucket, name);
      for (let part = 1; part <= parts; part += 1) {
        const got = await bucket.get(partKey(name, part));
        if (got.status !== "found") throw damaged(`part ${part} of ${parts} is missing`);
        yield got.body;
      }
    },
    async remove({ name }) {
      await bucket.delete(`${name}/${endName}`); // first: without this object the backup does not exist
      const parts = await bucket.list(`${name}/`);
      for (const { key } of parts) await bucket.delete(key);
    },
    [Symbol.asyncDispose]: () => opened.close(),
  };
}

const partKey = (name: string, part: number) => `${name}/${String(part).padStart(6, "0")}.part`;

async function completeBackups(bucket: Bucket): Promise<readonly string[]> {
  const names: string[] = [];
  let startAfter = "";
  for (;;) {
    const page = await bucket.list("", { ...(startAfter !== "" && { startAfter }) });
    for (const { key } of page) {
      const [, name] = new RegExp(`^([^/]+)/${endName}$`).exec(key) ?? [];
      if (name !== undefined) names.push(name);
    }
    if (page.length < listLimitMax || names.length > backupsMax) return names;
    startAfter = page.at(-1)!.key;
  }
}

async function endOf(bucket: Bucket, name: string) {
  const got = await bucket.get(`${name}/${endName}`);
  if (got.status !== "found") throw damaged(`${name}/${endName} is missing`);
  try {
    const { at, parts, bytes } = endSchema.parse(JSON.parse(Buffer.from(got.body).toString()));
    return { name, at, parts, bytes };
  } catch (error) {
    throw damaged(`${name}/${endName} cannot be read`, error);
  }
}

async function* inParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < partBytes) continue;
    yield Buffer.concat(held);
    [held, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(held);
}
