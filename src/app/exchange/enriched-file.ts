import {
  createCsvReader,
  csvLine,
  isVisitRead,
  type Company,
  type VisitRecord,
} from "../../records/index.ts";
import { decodeText } from "./company-lines.ts";
import { openWholeFile } from "./whole-file.ts";

/** The state of the company of a row after the visits. */
export interface EnrichedRow {
  readonly company: Company;
  readonly visit: VisitRecord | undefined;
  /**
   * The reason why it was not visited and will not be without a change. Undefined: it is waiting.
   */
  readonly unvisited?: string | undefined;
}

export interface EnrichedFileOptions {
  /** The bytes of the CSV file that was enriched. */
  readonly chunks: AsyncIterable<Buffer>;
  readonly encoding: string;
  readonly delimiter?: string | undefined;
  readonly to: string;
  /** Finds the company by the line where its row begins. Undefined: the row is not a company. */
  readonly rowAt: (line: number) => Promise<EnrichedRow | undefined>;
}

export interface EnrichedCounts {
  readonly rows: number;
  /** Rows whose website was read. */
  readonly read: number;
  readonly withEmail: number;
  readonly withPhone: number;
  /**
   * Rows whose website was not read, by reason. `waiting`: not visited yet; `failed`: its task has
   * failed.
   */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Columns that are added after those of the file. */
export const enrichedColumns = [
  "forager_company",
  "forager_emails",
  "forager_phones",
  "forager_profiles",
  "forager_visit",
  "forager_reason",
] as const;

/**
 * Writes the rows of a CSV file unchanged, with the results in additional columns. The result is
 * written to a temporary file and then renamed to `to`.
 */
export async function writeEnrichedFile(options: EnrichedFileOptions): Promise<EnrichedCounts> {
  const { chunks, encoding, delimiter, to, rowAt } = options;
  const reader = createCsvReader(delimiter === undefined ? {} : { delimiter });
  const file = openWholeFile(to);
  const count = { rows: 0, read: 0, withEmail: 0, withPhone: 0 };
  const reasons: Record<string, number> = {};
  let width: number | undefined;
  const writeRow = async (line: number, cells: readonly string[]) => {
    if (cells.every((cell) => cell.trim() === "")) return;
    if (width === undefined) {
      width = cells.length;
      return await file.write(rowOf(cells, width, enrichedColumns));
    }
    const row = await rowAt(line);
    const reason = reasonOf(row);
    count.rows += 1;
    if (reason === "") count.read += 1;
    else reasons[reason] = (reasons[reason] ?? 0) + 1;
    if (row && row.company.emails.length > 0) count.withEmail += 1;
    if (row && row.company.phones.length > 0) count.withPhone += 1;
    return await file.write(rowOf(cells, width, cellsOf(row, reason)));
  };
  try {
    for await (const text of decodeText(chunks, encoding)) {
      for (const { line, cells } of reader.push(text)) await writeRow(line, cells);
    }
    for (const { line, cells } of reader.end()) await writeRow(line, cells);
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
  return { ...count, reasons };
}

/** The reason why there is no result: "" if the site was read. */
function reasonOf(row: EnrichedRow | undefined): string {
  if (!row) return "not_a_company";
  const { company, visit, unvisited } = row;
  if (visit) return isVisitRead(visit) ? "" : (visit.reason ?? visit.outcome);
  const hasWebsite = (company.texts.website ?? company.texts.domain) !== undefined;
  return hasWebsite ? (unvisited ?? "waiting") : "no_website";
}

const joined = (values: readonly string[]) => values.join("; ");

function cellsOf(row: EnrichedRow | undefined, reason: string): readonly string[] {
  if (!row) return ["", "", "", "", "", reason];
  const { company, visit } = row;
  return [
    company.slug,
    joined(company.emails.map(({ value }) => value)),
    joined(company.phones.map(({ value }) => value)),
    joined(Object.values(company.socials)),
    visit?.outcome ?? "",
    reason,
  ];
}

/**
 * Cells of the file are not changed; added cells are protected against spreadsheet formulas. Cells
 * beyond the header are placed after the added columns, so that these always have the same
 * position.
 */
function rowOf(cells: readonly string[], width: number, ours: readonly string[]): string {
  const own = Array.from({ length: width }, (_, at) => quoted(cells[at] ?? ""));
  const line = `${own.join(",")},${csvLine(ours)}`;
  if (cells.length <= width) return line;
  return `${line.slice(0, -"\r\n".length)},${cells.slice(width).map(quoted).join(",")}\r\n`;
}

const quoted = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
