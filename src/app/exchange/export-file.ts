import { basename } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { attributionOf, type Attribution } from "../../sources/index.ts";
import type { ExportCounts } from "./export-records.ts";
import { openWholeFile } from "./whole-file.ts";

/** What is in an export: written beside it as `<file>.about.json`. */
export interface ExportAbout extends ExportCounts {
  readonly format: "forager-export/1";
  readonly file: string;
  /** When it was made, ISO 8601. */
  readonly at: string;
  readonly fileFormat: string;
  readonly campaign?: string;
  /** What has to be shown beside the data, by the licences of its sources. */
  readonly licences: readonly Attribution[];
}

export interface ExportFileOptions {
  readonly to: string;
  readonly fileFormat: string;
  readonly campaign?: string | undefined;
  readonly nowMs: number;
  readonly run: (write: (text: string) => Promise<void>) => Promise<ExportCounts>;
}

/** The file is there whole, with what is in it beside it, or not at all. */
export async function exportToFile(options: ExportFileOptions): Promise<ExportAbout> {
  const { to, fileFormat, campaign, nowMs, run } = options;
  const file = openWholeFile(to);
  try {
    const counts = await run((text) => file.write(text));
    const about: ExportAbout = {
      format: "forager-export/1",
      file: basename(to),
      at: new Date(nowMs).toISOString(),
      fileFormat,
      ...(campaign !== undefined && { campaign }),
      ...counts,
      licences: counts.placeSources.flatMap((source) => attributionOf(source) ?? []),
    };
    await file.commit();
    await writeFileAtomic(`${to}.about.json`, `${JSON.stringify(about, null, 2)}\n`);
    return about;
  } catch (error) {
    await file.discard();
    throw error;
  }
}
