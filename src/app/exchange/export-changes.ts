import {
  companyDigest,
  companyObject,
  isClosed,
  wasClosed,
  type Company,
  type ExportWriter,
} from "../../records/index.ts";
import { exportCompanies, type ExportCounts, type ExportOptions } from "./export-records.ts";
import type { ExportPosition } from "./export-position.ts";

export const changeKinds = ["new", "changed", "closed", "removed"] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface ChangesOptions extends Omit<ExportOptions<Company>, "writer" | "choice"> {
  /** The position of this feed. */
  readonly position: ExportPosition;
  readonly nowMs: number;
}

export interface ExportedChanges {
  /** Each line is a row. */
  readonly counts: ExportCounts & { readonly changes: Readonly<Record<ChangeKind, number>> };
  /** The time of the previous export. Undefined if this is the first one; then all rows are new. */
  readonly since: string | undefined;
  /** Stores the position. Call it when the feed has been delivered. */
  commit(): Promise<void>;
}

/**
 * Writes one JSON line for each company that is new, changed, closed or removed since the last feed
 * of this name. `removed` contains only the id: the company was deleted, forgotten, merged,
 * excluded or suppressed, or does not match the filters of this feed any more.
 */
export async function exportChanges(options: ChangesOptions): Promise<ExportedChanges> {
  const { position, nowMs } = options;
  const { before } = position;
  const write = async (text: string) => {
    position.check();
    await options.write(text);
  };
  const at = new Date(nowMs).toISOString();
  const changes = { new: 0, changed: 0, closed: 0, removed: 0 };
  const digests = new Map<string, string>();
  const line = (kind: ChangeKind, id: string, company?: unknown) => {
    changes[kind] += 1;
    return `${JSON.stringify({ change: kind, at, id, ...(company !== undefined && { company }) })}\n`;
  };
  const writer: ExportWriter<Company> = {
    begin: "",
    row: (company) =>
      line(kindOf(company, before.digests.get(company.target)), company.target, companyObject(company)), // prettier-ignore
    between: "",
    end: () => "",
  };
  const counts = await exportCompanies({
    ...options,
    write,
    writer,
    choice: {
      isWanted(company) {
        const digest = companyDigest(company);
        digests.set(company.target, digest);
        return before.digests.get(company.target) !== digest;
      },
      onWritten() {},
    },
  });
  for (const target of before.digests.keys()) {
    if (!digests.has(target)) await write(line("removed", target));
  }
  const commit = () => position.commit({ at, digests });
  const rows = counts.rows + changes.removed;
  return { counts: { ...counts, rows, changes }, since: before.at, commit };
}

function kindOf(company: Company, before: string | undefined): ChangeKind {
  if (before === undefined) return "new";
  return isClosed(company) && !wasClosed(before) ? "closed" : "changed";
}
