/**
 * Who did what, in one file a month: `audit/2026-11.jsonl` in the data folder, mode 0600. Always:
 * - an entry is one line of JSON, and no text in it can begin another line or move a terminal's cursor;
 * - `append` resolves when the entry survives a power cut;
 * - any process of the machine may append: a line is written by one call to the end of the file;
 * - a line that a crash has cut off is skipped by readers, and spoils no other line.
 */
import fs from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { makeFolder } from "../base/make-folder.ts";
import {
  auditEntrySchema,
  toAuditLine,
  type AuditEntry,
  type NewAuditEntry,
} from "./audit-entry.ts";

export interface AuditLogOptions {
  readonly folder: string;
  /** Months whose last day is older are deleted. */
  readonly keepDays: number;
  readonly clock: Clock;
}

export interface AuditQuery {
  readonly who?: string | undefined;
  /** How `what` begins, such as `company` or `webhook add`. */
  readonly what?: string | undefined;
  readonly result?: AuditEntry["result"] | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly limit: number;
}

export interface AuditLog {
  append(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

const dayMs = 86_400_000;
const fileName = /^\d{4}-\d{2}\.jsonl$/;
/** A file that grows beyond this is most likely under attack; its newest part is read. */
const readBytesMax = 64 * 1024 * 1024;

export function openAuditLog({ folder, keepDays, clock }: AuditLogOptions): AuditLog {
  let prunedAtMs = -Infinity;

  const filesIn = async () =>
    (await fs.readdir(folder).catch(() => [])).filter((name) => fileName.test(name)).toSorted();

  async function prune(): Promise<void> {
    const nowMs = clock.nowMs();
    if (nowMs - prunedAtMs < dayMs) return;
    prunedAtMs = nowMs;
    const oldest = new Date(nowMs - keepDays * dayMs).toISOString().slice(0, 7);
    for (const name of await filesIn()) {
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
      const found: AuditEntry[] = [];
      for (const name of (await filesIn()).toReversed()) {
        const month = name.slice(0, 7);
        if (query.since !== undefined && month < query.since.slice(0, 7)) break;
        const lines = (await readEnd(join(folder, name))).split("\n");
        for (const line of lines.toReversed()) {
          const entry = line === "" ? undefined : parseLine(line);
          if (entry && isWanted(entry, query)) found.push(entry);
          if (found.length >= query.limit) return found;
        }
      }
      return found;
    },
  };
}

async function readEnd(path: string): Promise<string> {
  const file = await fs.open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.min(size, readBytesMax);
    const bytes = Buffer.alloc(length);
    await file.read(bytes, 0, length, size - length);
    return bytes.toString();
  } finally {
    await file.close();
  }
}

function parseLine(line: string): AuditEntry | undefined {
  try {
    return auditEntrySchema.parse(JSON.parse(line));
  } catch {
    return undefined; // a crash has cut it off
  }
}

const isWanted = (entry: AuditEntry, { who, what, result, since }: AuditQuery): boolean =>
  (who === undefined || entry.who === who) &&
  (what === undefined || entry.what.startsWith(what)) &&
  (result === undefined || entry.result === result) &&
  (since === undefined || entry.at >= since);
