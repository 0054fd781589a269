import { statSync, writeFileSync } from "node:fs";
import { AppError } from "../../../../base/app-error.ts";
import { fileIdentity } from "../../../../base/files/opened-file.ts";
import { readRegularFileSync } from "../../../../base/files/regular-file.ts";

/**
 * A write-ahead log does not say which database it belongs to: SQLite applies `FILE-wal` to any
 * file called `FILE`. After a crash, or while a process still has the queue open, a backup that is
 * moved over `FILE` would be mixed with pages of the queue that it replaces. So every opener notes
 * in `FILE-id` which database and which log belong together, and the next opener compares before
 * SQLite opens them.
 *
 * If a folder is copied, both identities change; such a pair is accepted.
 */
export function checkWalOwner(file: string): void {
  const noted = readNote(file);
  if (noted === undefined || noted.wal !== fileIdentity(`${file}-wal`)) return;
  if (sizeOf(`${file}-wal`) === 0) return;
  if (noted.db === fileIdentity(file) && sizeOf(file) > 0) return;
  throw new AppError(
    "corrupt",
    "queue_wal_of_other_file",
    `${file} was deleted or replaced, but the write-ahead log beside it (${file}-wal) still belongs ` +
      `to the file that was there before. Nothing was changed. To use the file that is there now, ` +
      `or to begin a new queue, stop every process that has the queue open and delete ${file}-wal ` +
      `and ${file}-shm; to undo the replacement, move the former file back`,
  );
}

/** Call it when the log exists, that is, after the first write. */
export function noteWalOwner(file: string): void {
  const [db, wal] = [fileIdentity(file), fileIdentity(`${file}-wal`)];
  if (db === undefined || wal === undefined) return;
  const noted = readNote(file);
  if (noted?.db === db && noted.wal === wal) return;
  writeFileSync(noteOf(file), `${db} ${wal}\n`);
}

const noteOf = (file: string) => `${file}-id`;

interface Note {
  readonly db: string;
  readonly wal: string;
}

/** Undefined if there is no readable note: then nothing is known, and nothing is refused. */
function readNote(file: string): Note | undefined {
  let text: Buffer | undefined;
  try {
    text = readRegularFileSync(noteOf(file));
  } catch (error) {
    // Another user may read the queue but not the note: without write access it cannot mix anything
    // up.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return undefined;
    throw error;
  }
  const [db, wal] = String(text ?? "")
    .trim()
    .split(" ");
  return db && wal ? { db, wal } : undefined;
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
