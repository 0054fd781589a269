import { systemRandom } from "../../../base/random.ts";
import type { RecordsIn } from "../../../app/index.ts";
import { createPlanner, findDuplicates, type Created } from "../../../records/index.ts";
import type { CompanyLine, CompanyLines } from "./company-lines.ts";

export interface ImportReport {
  /** That say something, right or wrong. */
  readonly lines: number;
  readonly created: number;
  readonly known: number;
  readonly forgotten: number;
  /** Lines that are no company. */
  readonly faulty: number;
  /** Values that could not be read, in lines that count all the same. */
  readonly unread: number;
  /** The first of both. */
  readonly problems: readonly { readonly line: number; readonly text: string }[];
  /** New companies that have name and address of another. */
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
  readonly opened: RecordsIn;
  readonly lines: CompanyLines;
  readonly source: string;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onLines: (count: number) => void;
}

const batchLines = 1_000;
const shownMax = 20;

/**
 * Makes companies of lines, a batch at a time: each batch is in the ledger, in the files and in the
 * index before the next one begins, so that what a crash leaves is whole and known the next time.
 */
export async function importLines(options: ImportOptions): Promise<ImportReport> {
  const { opened, lines, source, isDryRun, signal, onLines } = options;
  const count = { lines: 0, created: 0, known: 0, forgotten: 0, faulty: 0, unread: 0 };
  const problems: { line: number; text: string }[] = [];
  const duplicates: ImportReport["duplicates"][number][] = [];
  let duplicateCount = 0;
  const tell = (line: number, text: string) => {
    if (problems.length < shownMax) problems.push({ line, text });
  };
  const preview = createPreview(opened, source);

  const flush = async (batch: readonly CompanyLine[]) => {
    const requests = batch.map(({ fields, key }) => ({ source, fields, key }));
    const made = isDryRun ? await preview(batch) : await opened.records.createAll(requests);
    for (const [at, one] of made.entries()) {
      count[one.outcome] += 1;
      if (one.outcome !== "created" || isDryRun) continue;
      const company = opened.index.find(one.target);
      // From the index alone: nobody has edited a file that was made a moment ago.
      const found =
        company?.kind === "company" ? findDuplicates(opened.index, company.company) : [];
      if (found.length === 0) continue;
      duplicateCount += 1;
      if (duplicates.length >= shownMax) continue;
      const others = found.map(({ slug }) => slug);
      duplicates.push({ line: batch[at]!.line, slug: one.slug, others });
    }
    onLines(count.lines);
  };

  let waiting: CompanyLine[] = [];
  for await (const batch of lines.batches) {
    for (const line of batch) {
      count.lines += 1;
      for (const text of line.problems) tell(line.line, text);
      count.unread += line.problems.length;
      if (line.fault !== undefined) {
        count.faulty += 1;
        tell(line.line, line.fault);
      } else waiting.push(line);
      if (waiting.length < batchLines) continue;
      if (signal.aborted) break;
      await flush(waiting);
      waiting = [];
    }
    if (signal.aborted) break;
  }
  if (!signal.aborted && waiting.length > 0) await flush(waiting);
  return { ...count, problems, duplicates, duplicateCount, isStopped: signal.aborted };
}

type Outcome = Pick<Created, "outcome" | "target" | "slug">;

/** What `createAll` would answer, without writing anything. */
function createPreview({ index, ledger }: RecordsIn, source: string) {
  const planner = createPlanner({ index, ledger, random: systemRandom });
  return async (batch: readonly CompanyLine[]): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const { fields, key } of batch) {
      const { outcome, target } = await planner.plan({ source, fields, key });
      outcomes.push({ outcome, target, slug: "" });
    }
    return outcomes;
  };
}
