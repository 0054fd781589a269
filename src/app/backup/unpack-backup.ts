import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { AppError } from "../../base/app-error.ts";
import { translateFileError } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import {
  createBackupSum,
  damaged,
  dataPrefix,
  endEntry,
  headEntry,
  parseEnd,
  parseHead,
  settingsPrefix,
  type BackupEnd,
  type BackupHead,
} from "./backup-format.ts";

export interface UnpackOptions {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** An empty folder for the files; undefined: only check the backup. */
  readonly to?: string | undefined;
  readonly onFile?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

export interface Unpacked extends BackupEnd {
  readonly head: BackupHead;
}

/** Reads and checks a whole backup. Throws `backup_damaged` if it differs from what was written. */
export async function unpackBackup(options: UnpackOptions): Promise<Unpacked> {
  const gunzip = createGunzip();
  const piping = pipeline(options.chunks, gunzip, { signal: options.signal });
  piping.catch(() => {});
  try {
    const stream = Readable.toWeb(gunzip) as unknown as ReadableStream<Uint8Array>;
    const entries = stream.pipeThrough(createTarDecoder({ strict: true }));
    const unpacked = await readEntries(entries, options);
    await piping;
    return unpacked;
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    // Errors of the source or the disk are passed on; any other error comes from gzip or tar.
    const failed = translateFileError(error, options.to ?? "the backup");
    if (failed instanceof AppError) throw failed;
    const { message } = gunzip.errored ?? (error as Error);
    throw damaged(message || "it ends too early", error);
  } finally {
    gunzip.destroy();
  }
}

async function readEntries(
  entries: ReadableStream<ParsedTarEntry>,
  { to, onFile, signal }: UnpackOptions,
): Promise<Unpacked> {
  const sum = createBackupSum();
  let head: BackupHead | undefined;
  let end: BackupEnd | undefined;
  for await (const { header, body } of entries) {
    signal.throwIfAborted();
    const { name, size, type, mode, mtime } = header;
    if (end) throw damaged(`there is an entry after ${endEntry}`);
    if (type !== "file") throw damaged(`'${name}' is not a file`);
    if (!head && name !== headEntry) throw damaged("it is not a forager backup");
    if (name === endEntry) {
      end = parseEnd(await textOf(body, size));
      continue;
    }
    sum.entry(name, size);
    if (name === headEntry) {
      if (head) throw damaged(`it has ${headEntry} twice`);
      const text = await textOf(body, size);
      sum.content(Buffer.from(text));
      head = parseHead(text);
      continue;
    }
    const path = placeOf(name);
    if (to === undefined) for await (const chunk of body) sum.content(chunk);
    else await writeFile(join(to, path), { name, body, mode, mtime, sum });
    onFile?.();
  }
  if (!head) throw damaged("it is empty");
  if (!end) throw damaged("its last entry is missing");
  const { files, bytes, sha256 } = sum.end();
  if (files !== end.files || bytes !== end.bytes) throw damaged("files are missing");
  if (sha256 !== end.sha256) throw damaged("its content has changed");
  return { head, ...end };
}

const textBytesMax = 1_000_000;

async function textOf(body: ReadableStream<Uint8Array>, size: number): Promise<string> {
  if (size > textBytesMax) throw damaged("one of its own entries is too long");
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The archive is untrusted: names that lead out of the folder are refused. */
function placeOf(name: string): string {
  const parts = name.split("/");
  const isOurs = name.startsWith(dataPrefix) || name.startsWith(settingsPrefix);
  const isSafe = parts.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0")); // prettier-ignore
  if (!isOurs || !isSafe || (process.platform === "win32" && /[\\:]/.test(name))) {
    throw damaged(`'${name.slice(0, 200)}' is not a valid file name`);
  }
  return name;
}

interface FileToWrite {
  readonly name: string;
  readonly body: ReadableStream<Uint8Array>;
  readonly mode: number | undefined;
  readonly mtime: Date | undefined;
  readonly sum: ReturnType<typeof createBackupSum>;
}

/** Rendered files need no sync: after a power cut they are rendered again from the ledger. */
const isRendered = (name: string) => /^data\/(?:companies|people)\//.test(name);

async function writeFile(
  path: string,
  { name, body, mode = 0o600, mtime, sum }: FileToWrite,
): Promise<void> {
  // prettier-ignore
  makeFolder(dirname(path), { mode: 0o700 });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  await using file = await open(path, flags, mode & 0o777);
  for await (const chunk of body) {
    sum.content(chunk);
    await file.writeFile(chunk);
  }
  if (mtime) await file.utimes(mtime, mtime);
  if (!isRendered(name)) await file.sync();
}
