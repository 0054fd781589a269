import type { NodeApi } from "../../node/index.ts";
import type { CompanyLine, CompanyLines } from "./company-lines.ts";

export interface ImportReport {
  /** The number of lines with content, valid or not. */
  readonly lines: number;
  readonly created: number;
  readonly known: number;
  readonly suppressed: number;
  /** Lines that are not a company. */
  readonly faulty: number;
  /** Values that could not be read, in lines that were imported. */
  readonly unread: number;
  /** Both kinds of problems, grouped by text: the first of each group is shown. */
  readonly problems: readonly {
    readonly line: number;
    readonly text: string;
    readonly count: number;
  }[];
  /** New companies with the same name and address as another one. */
  readonly duplicateCount: number;
  /** The first of them. */
  readonly duplicates: readonly {
    readonly line: number;
    readonly slug: string;
    readonly others: readonly string[];
  }[];
  readonly isStopped: boolean;
}

export interface ImportOptions {
  readonly records: NodeApi["records"];
  readonly lines: CompanyLines;
  readonly source: string;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onLines: (count: number) => void;
  /** Called with the company of each line. Not called for a dry run. */
  readonly onCompany?: (line: number, target: string) => void;
}

const batchLines = 1_000;
const shownMax = 20;

/**
 * Creates companies from lines in batches. Each batch is in the ledger, the files and the index
 * before the next one begins, so after a crash the complete batches are found again.
 */
export async function importLines(options: ImportOptions): Promise<ImportReport> {
  const { records, lines, source, isDryRun, signal, onLines } = options;
  const count = { lines: 0, created: 0, known: 0, suppressed: 0, faulty: 0, unread: 0 };
  const problems = new Map<string, { line: number; text: string; count: number }>();
  const duplicates: ImportReport["duplicates"][number][] = [];
  let duplicateCount = 0;
  const reportProblem = (line: number, text: string) => {
    // Problems that differ only in the value are in the same group.
    const key = text.replaceAll(/'[^']*'|\d+/g, "");
    const known = problems.get(key);
    if (known) known.count += 1;
    else if (problems.size < shownMax) problems.set(key, { line, text, count: 1 });
  };

  const flush = async (batch: readonly CompanyLine[]) => {
    const requests = batch.map(({ fields, key, target, slug }) => ({
      source,
      fields,
      key,
      ...(target !== undefined && { target }),
      ...(slug !== undefined && { firstFields: { slug } }),
    }));
    if (isDryRun) {
      for (const { outcome } of await records.planAll(requests)) count[outcome] += 1;
      return onLines(count.lines);
    }
    const made = await records.createAll(requests);
    const created = made.flatMap((one, at) => {
      count[one.outcome] += 1;
      if (one.outcome !== "suppressed") options.onCompany?.(batch[at]!.line, one.target);
      return one.outcome === "created" ? [{ ...one, line: batch[at]!.line }] : [];
    });
    // Uses only the index: nobody can have edited a file that was just created.
    const similar = await records.similar(created.map(({ target }) => target));
    for (const [at, found] of similar.entries()) {
      if (found.length === 0) continue;
      duplicateCount += 1;
      if (duplicates.length >= shownMax) continue;
      const { line, slug } = created[at]!;
      duplicates.push({ line, slug, others: found.map((one) => one.slug) });
    }
    onLines(count.lines);
  };

  let waiting: CompanyLine[] = [];
  for await (const batch of lines.batches) {
    for (const line of batch) {
      count.lines += 1;
      for (const text of line.problems) reportProblem(line.line, text);
      count.unread += line.problems.length;
      if (line.fault !== undefined) {
        count.faulty += 1;
        reportProblem(line.line, line.fault);
      } else waiting.push(line);
      if (waiting.length < batchLines) continue;
      if (signal.aborted) break;
      await flush(waiting);
      waiting = [];
    }
    if (signal.aborted) break;
  }
  if (!signal.aborted && waiting.length > 0) await flush(waiting);
  return {
    ...count,
    problems: [...problems.values()],
    duplicates,
    duplicateCount,
    isStopped: signal.aborted,
  };
}
