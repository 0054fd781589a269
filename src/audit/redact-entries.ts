/**
 * Removes the traces of a forgotten record from the audit log: names, and values before and after.
 * Who did what kind of action, and when, is kept. Each entry is overwritten in place and keeps its
 * length, so processes that append meanwhile are not disturbed.
 */
import fs from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry } from "./audit-entry.ts";
import { auditFiles, linesBackwards, parseLine } from "./audit-files.ts";

export interface ForgottenRecord {
  readonly kind: "company" | "person";
  /**
   * The ids in the ledger, such as `company/acme.example`: of the record and of those merged into
   * it.
   */
  readonly targets: readonly string[];
  /** The names that people used for it: slugs and the display name. */
  readonly names: readonly string[];
}

/** Returns how many entries were overwritten. */
export async function redactEntries(folder: string, record: ForgottenRecord): Promise<number> {
  const isAbout = matcherOf(record);
  let count = 0;
  for (const name of await auditFiles(folder)) {
    const path = join(folder, name);
    const found: { readonly offset: number; readonly line: string }[] = [];
    for await (const { line, offset } of linesBackwards(path, Infinity)) {
      const entry = line === "" ? undefined : parseLine(line);
      if (entry && isAbout(entry)) found.push({ offset, line: redacted(entry, line.length) });
    }
    if (found.length === 0) continue;
    const file = await fs.open(path, "r+");
    try {
      for (const { offset, line } of found) await file.write(line, offset);
      await file.datasync();
    } finally {
      await file.close();
    }
    count += found.length;
  }
  return count;
}

/** Lines are ASCII, so the length in characters is also the length in bytes. */
function redacted(entry: AuditEntry, length: number): string {
  const short = { ...entry, asked: null, before: null, after: null, detail: "" };
  const named = JSON.stringify({ ...short, target: "(forgotten)" });
  return (named.length > length ? JSON.stringify({ ...short, target: "" }) : named).padEnd(length);
}

function matcherOf({ kind, targets, names }: ForgottenRecord): (entry: AuditEntry) => boolean {
  const called = new Set([...targets, ...targets.map(idOf), ...names]);
  const path = kind === "company" ? "companies" : "people";
  const isCalled = ({ what, target }: AuditEntry) => {
    const [, inPath] = new RegExp(`^[A-Z]+ /api/${path}/([^/]+)`, "u").exec(target) ?? [];
    if (inPath !== undefined) return called.has(decoded(inPath));
    if (!what.startsWith(`${kind} `)) return false;
    return [...called].some((name) => ` ${target} `.includes(` ${name} `));
  };
  return (entry) =>
    isCalled(entry) ||
    [entry.target, entry.asked, entry.before, entry.after, entry.detail].some(
      (text) => text !== null && targets.some((target) => hasId(text, target)),
    );
}

/** Matches whole ids only: `company/acme` must not match `company/acme-2`. */
const hasId = (text: string, target: string): boolean =>
  text
    .split(target)
    .slice(1)
    .some((after) => !/^[\w.-]/.test(after));

const idOf = (target: string) => target.slice(target.indexOf("/") + 1);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
