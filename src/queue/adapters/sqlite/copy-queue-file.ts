import Database from "better-sqlite3";
import { translateError } from "./sqlite-error.ts";

/** All that is left, in one step: what others write meanwhile does not make it begin again. */
const pagesMax = 2 ** 31 - 1;

/** Copies a queue as it is at one moment, while others use it. The copy is one file, not in use by anybody. */
export async function copyQueueFile(file: string, to: string): Promise<void> {
  try {
    const db = new Database(file, { fileMustExist: true });
    try {
      db.pragma("busy_timeout = 10000");
      await db.backup(to, { progress: () => pagesMax });
    } finally {
      db.close();
    }
    // The copy is in WAL mode as well: a file alone is easier to keep.
    const copy = new Database(to);
    try {
      copy.pragma("journal_mode = delete");
    } finally {
      copy.close();
    }
  } catch (error) {
    throw translateError(error, file);
  }
}
