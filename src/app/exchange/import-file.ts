import { readCompanyLines, type LineOptions } from "./company-lines.ts";
import { importLines, type ImportOptions, type ImportReport } from "./import-lines.ts";

export interface ImportFileOptions extends Omit<ImportOptions, "lines"> {
  readonly chunks: AsyncIterable<Buffer>;
  readonly format: LineOptions;
}

export interface FileImport extends ImportReport {
  /** The field of each column. */
  readonly mapped: Readonly<Record<string, string>>;
  /** Columns that were not imported. */
  readonly leftOut: readonly string[];
}

/** Imports the companies of a CSV or JSON Lines file. */
export async function importFile(options: ImportFileOptions): Promise<FileImport> {
  const lines = readCompanyLines(options.chunks, options.format);
  const report = await importLines({ ...options, lines });
  return {
    ...report,
    mapped: Object.fromEntries(lines.mapped()),
    leftOut: [...lines.leftOut()],
  };
}
