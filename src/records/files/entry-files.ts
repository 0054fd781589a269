import type { RecordEntry } from "../fields/entry.ts";
import { entryKinds, type EntryKind } from "../fields/fields.ts";
import { isAsWritten, joinSheet, textOf } from "../page/front-matter.ts";
import type { RecordDisk } from "./record-disk.ts";
import { idPiece, slugOf } from "./slug.ts";
import { yamlLines } from "../page/yaml-text.ts";

/**
 * Notes, meetings and calls as files next to a record. Files that a user has edited are not changed
 * here: they are ingested first, see `ingest-entries.ts`.
 */
export interface EntryFiles {
  render(job: EntryJob): Promise<void>;
  /** Removes all files that Forager created. */
  removeOwn(folder: string): void;
  /** Removes also those that users wrote or edited. */
  removeAll(folder: string): void;
}

export interface EntryJob {
  readonly target: string;
  readonly folder: string;
  readonly entries: readonly RecordEntry[];
  readonly isHasty?: boolean;
}

export const entryFolders: Readonly<Record<EntryKind, string>> = {
  note: "notes",
  meeting: "meetings",
  call: "calls",
};

/** Other files in these folders, and hidden ones, do not belong to Forager. */
export const isEntryFile = (file: string): boolean => file.endsWith(".md") && !file.startsWith(".");

export interface EntryFilesOptions {
  readonly disk: RecordDisk;
  /** Reports what is wrong with a file or folder. */
  readonly reportFault: (path: string, target: string, reason: string) => void;
}

export function createEntryFiles({ disk, reportFault }: EntryFilesOptions): EntryFiles {
  const read = (name: string) => textOf(disk.read(name));
  const removeBut = (folder: string, wanted: ReadonlyMap<string, string>) => {
    for (const file of disk.list(folder)) {
      const name = `${folder}/${file}`;
      if (wanted.has(name) || !ownName.test(file)) continue;
      const text = read(name);
      if (text !== undefined && isAsWritten(text)) disk.remove(name);
    }
    disk.removeFolder(folder);
  };
  return {
    async render({ target, folder, entries, isHasty = false }) {
      // Already reported for the record's own file.
      if (disk.folderFault(folder)) return;
      for (const kind of entryKinds) {
        const place = `${folder}/${entryFolders[kind]}`;
        const own = entries.filter((entry) => entry.kind === kind);
        if (own.length === 0 && !disk.has(place)) continue;
        const fault = disk.folderFault(place);
        if (fault) {
          reportFault(place, target, fault.reason);
          continue;
        }
        const texts = new Map(own.map((entry) => [`${place}/${fileOf(entry)}`, entryText(entry)]));
        for (const [name, text] of texts) {
          const found = read(name);
          if (found === text || (found !== undefined && !isAsWritten(found))) continue;
          const inTheWay = found === undefined ? disk.fault(name) : undefined;
          if (inTheWay) {
            reportFault(name, target, inTheWay.reason);
            continue;
          }
          await disk.overwrite(name, text, { isHasty });
        }
        removeBut(place, texts);
      }
    },
    removeOwn(folder) {
      for (const kind of entryKinds) {
        const place = `${folder}/${entryFolders[kind]}`;
        if (disk.has(place)) removeBut(place, new Map());
      }
    },
    removeAll(folder) {
      for (const place of Object.values(entryFolders)) {
        for (const file of disk.list(`${folder}/${place}`)) {
          if (file.endsWith(".md")) disk.remove(`${folder}/${place}/${file}`);
        }
        disk.removeFolder(`${folder}/${place}`);
      }
    },
  };
}

const idLength = 8;
const ownName = /-[0-9a-v]{8}\.md$/;

/** The time comes first, so that files sort chronologically, then the title. */
function fileOf({ id, at, title = "" }: RecordEntry): string {
  const minute = at.slice(0, "2026-11-16T01:02".length);
  return `${slugOf(`${minute} ${title}`, id)}-${idPiece(id, idLength)}.md`;
}

export const entryKeys = ["at", "title", "by", "outcome", "callback"] as const;

export function entryText(entry: RecordEntry): string {
  let head = "";
  for (const key of entryKeys) {
    const value = entry[key];
    if (value !== undefined) head += yamlLines(key, value);
  }
  head += yamlLines("id", entry.id);
  const body = entry.text === "" ? undefined : entry.text;
  return joinSheet({ bom: "", lineEnd: "\n", head, body });
}
