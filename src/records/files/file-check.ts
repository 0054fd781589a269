import { entryFolders, isEntryFile } from "./entry-files.ts";
import { isClean, isAsWritten, revIn, textOf } from "../page/front-matter.ts";
import { isEmpty } from "../ingest/ingest-file.ts";
import { recordFile } from "./layout.ts";
import { openRecordFiles } from "./record-files.ts";
import type { RecordLookup } from "../search/record-index.ts";

/** For a process that reads only the index: tells if the files differ from it. Writes nothing. */
export interface FileCheck {
  /**
   * True if `records.ingest` has something to read: the file differs from the last render that the
   * index knows, or a note next to it is new or edited. A missing or empty file does not count as
   * an edit.
   */
  isFileEdited(target: string): boolean;
}

export interface FileCheckOptions {
  /** The data folder. */
  readonly folder: string;
  readonly index: Pick<RecordLookup, "render">;
}

export function createFileCheck({ folder, index }: FileCheckOptions): FileCheck {
  const files = openRecordFiles(folder);
  const isNewNote = (path: string) => {
    const bytes = files.read(path);
    return bytes !== undefined && !isEmpty(bytes) && !isClean(bytes);
  };
  return {
    isFileEdited(target) {
      const mark = index.render(target);
      if (!mark) return false;
      const bytes = files.read(`${mark.folder}/${recordFile}`);
      if (bytes && !isEmpty(bytes)) {
        const text = textOf(bytes);
        if (!isAsWritten(text) || revIn(text) !== mark.rev) return true;
      }
      return Object.values(entryFolders).some((place) =>
        files
          .list(`${mark.folder}/${place}`)
          .some((file) => isEntryFile(file) && isNewNote(`${mark.folder}/${place}/${file}`)),
      );
    },
  };
}
