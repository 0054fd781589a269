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
import { AppError } from "./app-error.ts";
import { diskFullError } from "./disk-full.ts";

/**
 * An SQLite file that can be read without writing anything into its folder. SQLite cannot do that if
 * the file is in WAL mode, or if a journal of an interrupted write is beside it: it would create or
 * change files there, or fail if it may not. Then this is a copy in a private temporary folder.
 */
export interface ReadableDatabase extends Disposable {
  /** Open this one: read-only unless it is a copy. */
  readonly path: string;
  /** True after the process that wrote the file was killed, or while one writes it. */
  readonly isCopy: boolean;
}

/** Copies in a row that may fail because a process writes to the file. */
const attemptsMax = 10;
/** The log and the rollback journal. SQLite makes the third file, `-shm`, again from the log. */
const besides = ["-wal", "-journal"] as const;

/** Undefined if there is no such file, or an empty one. Throws AppError. */
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

/** A copy in any case: for a file that has to be changed before it can be read. Throws AppError. */
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

/** Up to byte 19, which tells the mode. */
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
 * False if the log was started again meanwhile: then pages may be missing in both copies. As long as
 * its head is the same, it has every page that was moved into the file while that was copied, and
 * SQLite ignores what is incomplete at its end.
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

/** A copy has the mode of its original, which its reader may not be allowed to write. */
function copyWritable(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o600);
}

/** Number of checkpoints and random salts included. */
const logHeadLength = 32;

/** Fewer bytes if the file is shorter; none if there is no file. */
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
