/**
 * Removes the traces of forgotten records from the audit log: names, and values before and after.
 * Who did what kind of action, and when, is kept. Each entry is overwritten in place and keeps its
 * length, so processes that append meanwhile are not disturbed.
 */
import fs from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry } from "./audit-entry.ts";
import { auditFiles, linesBackwards, parseLine } from "./audit-files.ts";

export interface ForgottenRecords {
  readonly kind: "company" | "person";
  /** The ids in the ledger, such as `company/acme.example`. */
  readonly targets: readonly string[];
  /** Their display names. */
  readonly names: readonly string[];
  /** Whether a command or a route finds one of them by this text: a slug, an id, a domain … */
  readonly isCalled: (text: string) => boolean;
}

/** Returns how many entries were overwritten. */
export async function redactEntries(folder: string, records: ForgottenRecords): Promise<number> {
  const isAbout = matcherOf(records);
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

function matcherOf(records: ForgottenRecords): (entry: AuditEntry) => boolean {
  const { kind, targets, names } = records;
  const path = new RegExp(`^[A-Z]+ /api/${kind === "company" ? "companies" : "people"}/([^/]+)`, "u"); // prettier-ignore
  const isCalled = ({ what, target }: AuditEntry) => {
    const [, inPath] = path.exec(target) ?? [];
    if (inPath !== undefined) return records.isCalled(decoded(inPath));
    if (!what.startsWith(`${kind} `)) return false;
    const isNamed = names.some((name) => ` ${target} `.includes(` ${name} `));
    return isNamed || target.split(" ").some((word) => word !== "" && records.isCalled(word));
  };
  const hasOne = (text: string) =>
    text.includes(`${kind}/`) && targets.some((target) => hasId(text, target));
  return (entry) =>
    isCalled(entry) ||
    [entry.target, entry.asked, entry.before, entry.after, entry.detail].some(
      (text) => text !== null && hasOne(text),
    );
}

/** Matches whole ids only: `company/acme` must not match `company/acme-2`. */
const hasId = (text: string, target: string): boolean =>
  text
    .split(target)
    .slice(1)
    .some((after) => !/^[\w.-]/.test(after));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
