import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../base/app-error.ts";

/**
 * A backup is a tar archive, compressed with gzip, that any tar program can read:
 * - first `forager-backup.json`: the format, and when it was made;
 * - `data/…`: files of the data folder; `settings/…`: the settings files of the machine;
 * - last `end.json`: the number, bytes and digest of all preceding entries. A backup without it is
 * incomplete.
 */
export const headEntry = "forager-backup.json";
export const endEntry = "end.json";
export const dataPrefix = "data/";
export const settingsPrefix = "settings/";

const headSchema = z.object({
  format: z.literal("forager-backup"),
  version: z.int().positive(),
  /** ISO time. Everything acknowledged before it is in the backup. */
  at: z.string(),
  /** Version of the program that made it. */
  program: z.string(),
  /** Id of the node that owns the data; absent if it has written nothing yet. */
  node: z.string().optional(),
  /** `copied`: the queue is in the backup; `none`: there is no queue; otherwise the address of the queue. */
  queue: z.string(),
});
export type BackupHead = z.infer<typeof headSchema>;

const endSchema = z.object({ files: z.int(), bytes: z.int(), sha256: z.string() });
export type BackupEnd = z.infer<typeof endSchema>;

const backupVersion = 1;

export const newHead = (head: Omit<BackupHead, "format" | "version">): BackupHead => ({
  format: "forager-backup",
  version: backupVersion,
  ...head,
});

export function parseHead(text: string): BackupHead {
  const head = parsed(headSchema, text);
  if (!head) throw damaged(`its ${headEntry} cannot be read`);
  if (head.version > backupVersion) {
    const message = `the backup was made by a newer version of forager (${head.program}): use that version`;
    throw new AppError("invalid", "backup_newer", message);
  }
  return head;
}

export function parseEnd(text: string): BackupEnd {
  const end = parsed(endSchema, text);
  if (!end) throw damaged(`its ${endEntry} cannot be read`);
  return end;
}

function parsed<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const damaged = (why: string, cause?: unknown): AppError =>
  new AppError("corrupt", "backup_damaged", `the backup is damaged: ${why}. Nothing was changed; use another one`, { cause }); // prettier-ignore

/** Digest of all entries: equal if names, contents and order are equal. */
export function createBackupSum() {
  const digest = createHash("sha256");
  let files = 0;
  let bytes = 0;
  return {
    entry(name: string, size: number): void {
      digest.update(`${name}\n${size}\n`);
      files += 1;
      bytes += size;
    },
    content(chunk: Uint8Array): void {
      digest.update(chunk);
    },
    end: (): BackupEnd => ({ files, bytes, sha256: digest.digest("hex") }),
  };
}
