import { isClean } from "./front-matter.ts";
import { folderOf } from "./folders.ts";
import { isEmpty } from "./ingest-file.ts";
import { layouts, recordFile } from "./layout.ts";
import { PageFault, parsePage } from "./parse-page.ts";
import { openRecordFiles } from "./record-files.ts";
import type { RecordKind } from "./records.ts";

/** What a look at the files of all records has found. Paths are below the data folder. */
export interface FileReview {
  /** Edited by hand and not ingested yet, or new. */
  readonly edited: readonly string[];
  /** Cannot be understood. */
  readonly broken: readonly { readonly path: string; readonly reason: string }[];
  /** Records without their file; the next render writes it. */
  readonly missing: readonly string[];
}

/** Reads the file of every record and changes nothing. `records`: the folders that should exist. */
export async function reviewFiles(
  folder: string,
  records: AsyncIterable<{ readonly kind: RecordKind; readonly slug: string }>,
): Promise<FileReview> {
  const files = openRecordFiles(folder);
  const edited: string[] = [];
  const broken: { path: string; reason: string }[] = [];
  for (const layout of layouts) {
    for (const name of files.list(layout.folder)) {
      if (name.startsWith(".")) continue;
      const path = `${layout.folder}/${name}/${recordFile}`;
      const bytes = files.read(path);
      if (!bytes || isEmpty(bytes) || isClean(bytes)) continue;
      try {
        parsePage(layout, bytes);
        edited.push(path);
      } catch (error) {
        if (!(error instanceof PageFault)) throw error;
        broken.push({ path, reason: error.message });
      }
    }
  }
  const missing: string[] = [];
  for await (const { kind, slug } of records) {
    const path = `${folderOf(kind, slug)}/${recordFile}`;
    const bytes = files.read(path);
    if (!bytes || isEmpty(bytes)) missing.push(path);
  }
  return { edited, broken, missing };
}
