import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { AppError } from "../app-error.ts";
import { diskFullError } from "./disk-full.ts";

/**
 * An SQLite file that can be read without writing anything into its folder. SQLite itself cannot do
 * that if the file is in WAL mode or if there is a journal of an interrupted write: it would create
 * or change files there, or fail without write access. In these cases, this is a copy in a private
 * temporary folder.
 */
export interface ReadableDatabase extends Disposable {
  /** The file to open: read-only unless it is a copy. */
  readonly path: string;
  /** True if the process that wrote the file was killed, or if a process is writing it. */
  readonly isCopy: boolean;
}

/** How many copies in a row may fail because a process writes to the file. */
const attemptsMax = 10;
/**
 * The write-ahead log and the rollback journal. SQLite rebuilds the third file, `-shm`, from the
 * log.
 */
const besides = ["-wal", "-journal"] as const;

/** Undefined if the file does not exist or is empty. Throws AppError. */
export function prepareToRead(file: string): ReadableDatabase | undefined {
  try {
    const head = readHead(file, headLength);
    if (head.length === 0) return undefined;
    if (!isWal(head) && !besides.some((end) => readHead(`${file}${end}`, 1).length > 0)) {
      return { path: file, isCopy: false, [Symbol.dispose]() {} };
    }
    return copyOf(file);
  } catch (error) {
    throw readError(error, file);
  }
}

/** Always copies: for a file that must be changed before it can be read. Throws AppError. */
export function copyToRead(file: string): ReadableDatabase {
  try {
    return copyOf(file);
  } catch (error) {
    throw readError(error, file);
  }
}

function readError(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (error instanceof AppError || code === undefined) return error;
  return (
    diskFullError(error, tmpdir()) ??
    new AppError(
      "unavailable",
      "database_unreadable",
      `cannot read ${file}: check who may read it, and whether ${tmpdir()} can be written (${code})`,
      { cause: error },
    )
  );
}

/** Up to byte 19, which contains the journal mode. */
const headLength = 20;
const isWal = (head: Buffer): boolean => head[18] === 2 || head[19] === 2;

function copyOf(file: string): ReadableDatabase {
  const folder = mkdtempSync(join(tmpdir(), "forager-read-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const path = join(folder, basename(file));
  const end = () => {
    process.off("exit", remove);
    remove();
  };
  try {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      if (copyOnce(file, path)) return { path, isCopy: true, [Symbol.dispose]: end };
    }
  } catch (error) {
    end();
    throw error;
  }
  end();
  throw new AppError(
    "unavailable",
    "database_busy",
    `${file} is written all the time and could not be copied to read it: try again`,
  );
}

/**
 * Returns false if the log was restarted while it was copied: then both copies may lack pages. As
 * long as the header of the log is unchanged, the log has every page that was moved into the file
 * during the copy, and SQLite ignores an incomplete end of the log.
 */
function copyOnce(file: string, path: string): boolean {
  const before = besides.map((end) => readHead(`${file}${end}`, logHeadLength));
  copyWritable(file, path);
  for (const end of besides) {
    rmSync(`${path}${end}`, { force: true });
    if (existsSync(`${file}${end}`)) {
      copyWritable(`${file}${end}`, `${path}${end}`);
    }
  }
  return besides.every((end, at) => readHead(`${path}${end}`, logHeadLength).equals(before[at]!));
}

/**
 * Makes the copy writable: it would otherwise have the mode of the original, which may be
 * read-only.
 */
function copyWritable(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o600);
}

/** Includes the checkpoint number and the random salts. */
const logHeadLength = 32;

/** Returns fewer bytes if the file is shorter, and none if it does not exist. */
function readHead(file: string, length: number): Buffer {
  let opened: number;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
  try {
    if (!fstatSync(opened).isFile()) {
      const message = `${file} is not a regular file: move it away`;
      throw new AppError("invalid", "not_a_regular_file", message);
    }
    const head = Buffer.alloc(length);
    return head.subarray(0, readSync(opened, head, 0, length, 0));
  } finally {
    closeSync(opened);
  }
}
