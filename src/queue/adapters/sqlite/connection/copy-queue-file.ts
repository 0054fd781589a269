import Database from "better-sqlite3";
import { translateError } from "./sqlite-error.ts";

/** Copies all pages in one step, so that writes of other processes do not restart the copy. */
const pagesMax = 2 ** 31 - 1;

/** Copies a consistent state of a queue that other processes may be using. The copy is a single file. */
export async function copyQueueFile(file: string, to: string): Promise<void> {
  try {
    const db = new Database(file, { fileMustExist: true });
    try {
      db.pragma("busy_timeout = 10000");
      await db.backup(to, { progress: () => pagesMax });
    } finally {
      db.close();
    }
    // The copy is in WAL mode too. Leave that mode, so that the copy is one file.
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
