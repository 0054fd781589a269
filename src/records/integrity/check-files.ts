import { entryFolders, isEntryFile } from "../files/entry-files.ts";
import { idIn, isAsWritten, textOf } from "../page/front-matter.ts";
import { readEntry } from "../ingest/ingest-entries.ts";
import { isEmpty } from "../ingest/ingest-file.ts";
import { layouts, recordFile, type RecordLayout } from "../files/layout.ts";
import { PageFault, parsePage, type ParsedPage } from "../page/parse-page.ts";
import type { RecordFiles } from "../files/record-files.ts";
import type { RecordFinding } from "./finding.ts";

/** The content of the folder of a record. */
export interface FolderState {
  readonly layout: RecordLayout;
  /** Such as `companies/acme`. */
  readonly folder: string;
  /** The file of the record, if it can be read and is not a redirect. */
  readonly page?: RecordFileState;
  /** Edited by hand and not ingested yet, or new. */
  readonly edited: readonly string[];
  readonly findings: readonly RecordFinding[];
}

export interface RecordFileState {
  readonly text: string;
  readonly id: string;
  readonly isAsWritten: boolean;
  parse(): ParsedPage;
}

/** Reads every folder of records, one after the other, and changes nothing. */
export function* readFolders(files: RecordFiles): Generator<FolderState> {
  for (const layout of layouts) {
    for (const name of files.list(layout.folder)) {
      if (!name.startsWith(".")) yield readFolder(files, layout, `${layout.folder}/${name}`);
    }
  }
}

function readFolder(files: RecordFiles, layout: RecordLayout, folder: string): FolderState {
  const edited: string[] = [];
  const findings: RecordFinding[] = [];
  /** Undefined if it does not exist, is empty, or cannot be used. */
  const look = <T>(path: string, read: (bytes: Uint8Array) => T): T | undefined => {
    const bytes = files.read(path);
    if (!bytes || isEmpty(bytes)) {
      const fault = bytes ? undefined : files.fault(path);
      if (fault?.isSpecial) findings.push({ kind: "file", path, reason: fault.reason });
      return undefined;
    }
    try {
      return read(bytes);
    } catch (error) {
      if (!(error instanceof PageFault)) throw error;
      const repair = { kind: "move file", folder } as const;
      findings.push({ kind: "file", path, reason: error.message, repair });
      return undefined;
    }
  };
  const path = `${folder}/${recordFile}`;
  const page = look(path, (bytes) => {
    const text = textOf(bytes);
    const parse = () => parsePage(layout, bytes);
    if (isAsWritten(text)) return { text, id: idIn(text) ?? "", isAsWritten: true, parse };
    const { id } = parse();
    edited.push(path);
    return { text, id, isAsWritten: false, parse };
  });
  for (const place of Object.values(entryFolders)) {
    for (const file of files.list(`${folder}/${place}`)) {
      if (!isEntryFile(file)) continue;
      look(`${folder}/${place}/${file}`, (bytes) => {
        if (isAsWritten(textOf(bytes))) return;
        readEntry(bytes, file);
        edited.push(`${folder}/${place}/${file}`);
      });
    }
  }
  return { layout, folder, ...(page && { page }), edited, findings };
}
