/**
 * The audit log: who did what. One file per month, `audit/2026-11.jsonl` in the data folder, mode
 * 0600. Invariants:
 * - an entry is one line of JSON, and no text in it can begin another line or move a terminal's
 *   cursor;
 * - when `append` resolves, the entry survives a power cut;
 * - any process of the machine may append: a line is written by one call, at the end of the file;
 * - readers skip a line that a crash cut off; other lines are not affected.
 */
import fs from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { toAuditLine, type AuditEntry, type NewAuditEntry } from "./audit-entry.ts";
import { auditFiles, linesBackwards, parseLine } from "./audit-files.ts";

export interface AuditLogOptions {
  readonly folder: string;
  /** Files of months that ended more than this many days ago are deleted. */
  readonly keepDays: number;
  readonly clock: Clock;
}

export interface AuditQuery {
  readonly who?: string | undefined;
  /** A prefix of `what`, such as `company` or `webhook add`. */
  readonly what?: string | undefined;
  readonly result?: AuditEntry["result"] | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  /** ISO 8601; exclusive: entries at this moment are left out. */
  readonly until?: string | undefined;
  readonly limit: number;
  /** `next` of the previous page. Entries that are added meanwhile do not shift the pages. */
  readonly cursor?: string | undefined;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
}

export interface AuditLog {
  append(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<AuditPage>;
}

const dayMs = 86_400_000;

export function openAuditLog({ folder, keepDays, clock }: AuditLogOptions): AuditLog {
  let prunedAtMs = -Infinity;

  async function prune(): Promise<void> {
    const nowMs = clock.nowMs();
    if (nowMs - prunedAtMs < dayMs) return;
    prunedAtMs = nowMs;
    const oldest = new Date(nowMs - keepDays * dayMs).toISOString().slice(0, 7);
    for (const name of await auditFiles(folder)) {
      if (name.slice(0, 7) < oldest) await fs.rm(join(folder, name), { force: true });
    }
  }

  return {
    async append(entry) {
      makeFolder(folder, { mode: 0o700 });
      await prune();
      const at = new Date(clock.nowMs()).toISOString();
      const file = await fs.open(join(folder, `${at.slice(0, 7)}.jsonl`), "a+", 0o600);
      try {
        const { size } = await file.stat();
        const last = Buffer.alloc(1);
        if (size > 0) await file.read(last, 0, 1, size - 1);
        const start = size > 0 && last[0] !== 10 ? "\n" : "";
        await file.appendFile(`${start}${toAuditLine({ at, ...entry })}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    async list(query) {
      const start = parseCursor(query.cursor);
      const entries: AuditEntry[] = [];
      let next = "";
      for (const name of (await auditFiles(folder)).toReversed()) {
        const month = name.slice(0, 7);
        if (start && month > start.month) continue;
        if (query.since !== undefined && month < query.since.slice(0, 7)) break;
        const endMax = start?.month === month ? start.offset : Infinity;
        for await (const { line, offset } of linesBackwards(join(folder, name), endMax)) {
          const entry = line === "" ? undefined : parseLine(line);
          if (!entry || !isWanted(entry, query)) continue;
          // The page is full and at least one more entry matches.
          if (entries.length === query.limit) return { entries, next };
          entries.push(entry);
          next = `${month}.${offset}`;
        }
      }
      return { entries, next: null };
    },
  };
}

/** The month of the file, and the offset of the oldest line returned so far. */
function parseCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [, month, offset] = /^(\d{4}-\d{2})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (month !== undefined) return { month, offset: Number(offset) };
  throw new AppError(
    "invalid",
    "bad_cursor",
    "the cursor is not from this list: start without one",
  );
}

const isWanted = (entry: AuditEntry, { who, what, result, since, until }: AuditQuery): boolean =>
  (who === undefined || entry.who === who) &&
  (what === undefined || entry.what.startsWith(what)) &&
  (result === undefined || entry.result === result) &&
  (since === undefined || entry.at >= since) &&
  (until === undefined || entry.at < until);
