import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { legalLines, type LegalNotice } from "../../records/index.ts";
import { attributionLine } from "../../sources/index.ts";
import type { ExportCounts } from "./export-records.ts";
import { openWholeFile } from "./whole-file.ts";

/** The description of an export, written next to it as `<file>.about.json`. */
export interface ExportAbout extends ExportCounts {
  readonly format: "forager-export/1";
  readonly file: string;
  /** The time of the export, ISO 8601. */
  readonly at: string;
  readonly fileFormat: string;
  readonly campaign?: string;
  /** The organization responsible for the data, from the settings. */
  readonly legal?: LegalNotice;
}

export interface ExportFileOptions<Counts extends ExportCounts = ExportCounts> {
  readonly to: string;
  readonly fileFormat: string;
  readonly campaign?: string | undefined;
  readonly legal: LegalNotice;
  readonly nowMs: number;
  readonly run: (write: (text: string) => Promise<void>) => Promise<Counts>;
}

/** Writes the complete file with its description next to it, or nothing. */
export async function exportToFile<Counts extends ExportCounts>(
  options: ExportFileOptions<Counts>,
): Promise<ExportAbout & Counts> {
  const { to, fileFormat, campaign, legal, nowMs, run } = options;
  const file = openWholeFile(to);
  try {
    const counts = await run((text) => file.write(text));
    const about: ExportAbout & Counts = {
      format: "forager-export/1",
      file: basename(to),
      at: new Date(nowMs).toISOString(),
      fileFormat,
      ...(campaign !== undefined && { campaign }),
      ...(legalLines(legal).length > 0 && { legal }),
      ...counts,
    };
    await file.commit();
    await writeFileAtomic(`${to}.about.json`, `${JSON.stringify(about, null, 2)}\n`);
    await writeLicences(to, about);
    return about;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/**
 * For people who get the file without the program. Not written without open data and legal notice.
 */
async function writeLicences(to: string, { licences, legal = {} }: ExportAbout): Promise<void> {
  const file = `${to}.LICENCES.txt`;
  const notice = legalLines(legal);
  if (licences.length + notice.length === 0) return await rm(file, { force: true });
  const lines = [
    ...(licences.length > 0
      ? [
          `${basename(to)} contains open data. Show this wherever you show the data, and pass it on with it:`,
          "",
          ...licences.map(attributionLine),
          "",
        ]
      : []),
    ...(notice.length > 0
      ? [`Responsible for the personal data in ${basename(to)}:`, "", ...notice, ""]
      : []),
  ];
  await writeFileAtomic(file, lines.join("\n"));
}
