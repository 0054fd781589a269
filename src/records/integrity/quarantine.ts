import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { entryFolders } from "../files/entry-files.ts";
import { textOf } from "../page/front-matter.ts";
import { readEntry } from "../ingest/ingest-entries.ts";
import { layouts, recordFile } from "../files/layout.ts";
import { PageFault, parsePage } from "../page/parse-page.ts";
import type { RecordDisk } from "../files/record-disk.ts";
import { sideFile } from "../page/side-file.ts";

/**
 * Files and values that `records repair` removed because they cannot be used, in
 * `records/quarantine/`: `ID.json` says what it is and why; the file itself is `ID.md`. Nothing
 * else reads them. The description is written before the file or value is removed, so a crash
 * between the two loses nothing: the entry of a file that was not moved is not listed.
 */
export interface Quarantine {
  list(): readonly QuarantineEntry[];
  /** Throws `invalid` if there is none. */
  get(id: string): QuarantineEntry;
  addFile(file: Pick<QuarantineEntry, "path" | "target" | "reason">): Promise<void>;
  addValue(value: Omit<QuarantineEntry, "id" | "at" | "kind" | "file">): Promise<void>;
  /** Removes what a moved file left in its folder, if the folder does not belong to a record. */
  tidy(folder: string): void;
  /** The text of a file; undefined for a value. */
  textOf(entry: QuarantineEntry): string | undefined;
  /** Moves a file back. Throws `invalid` if it still cannot be read. */
  putBack(entry: QuarantineEntry): void;
  remove(entry: QuarantineEntry): void;
}

export interface QuarantineEntry {
  readonly id: string;
  readonly kind: "file" | "value";
  /** The original path of the file, or of the file of the record that had the value. */
  readonly path: string;
  readonly target?: string | undefined;
  readonly field?: string | undefined;
  readonly value?: unknown;
  readonly reason: string;
  /** ISO moment. */
  readonly at: string;
  /** For a file: its current path, relative to the data folder. It can be edited there. */
  readonly file?: string;
}

const folder = "records/quarantine";
const idLength = 8;
const filePath = (id: string) => `${folder}/${id}.md`;
const notePath = (id: string) => `${folder}/${id}.json`;

export function createQuarantine(parts: {
  readonly disk: RecordDisk;
  readonly clock: Clock;
  readonly random: Random;
}): Quarantine {
  const { disk, clock, random } = parts;

  const read = (name: string): readonly QuarantineEntry[] => {
    const id = name.slice(0, -".json".length);
    if (!name.endsWith(".json") || !/^[a-z0-9]+$/.test(id)) return [];
    const entry = parsed(textOf(disk.read(notePath(id))));
    if (!entry || (entry.kind === "file" && !disk.has(filePath(id)))) return [];
    return [{ ...entry, id, ...(entry.kind === "file" && { file: filePath(id) }) }];
  };
  const list = () =>
    disk
      .list(folder)
      .flatMap(read)
      .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
  const describe = async (entry: Omit<QuarantineEntry, "id" | "at" | "file">) => {
    const id = createId(random, idLength).toLowerCase();
    const at = new Date(clock.nowMs()).toISOString();
    await disk.overwrite(notePath(id), `${JSON.stringify({ ...entry, at }, null, 2)}\n`, {});
    return id;
  };

  return {
    list,
    get(id) {
      const [entry] = read(`${id}.json`);
      if (entry) return entry;
      const message = `there is no entry '${id.slice(0, 40)}' in quarantine: \`forager records quarantine\` lists them`;
      throw new AppError("invalid", "quarantine_unknown", message);
    },
    async addFile(file) {
      const id = await describe({ ...file, kind: "file" });
      if (disk.move(file.path, filePath(id)) === undefined) disk.remove(notePath(id));
    },
    async addValue(value) {
      await describe({ ...value, kind: "value" });
    },
    tidy(place) {
      if (disk.has(`${place}/${recordFile}`)) return;
      disk.remove(`${place}/${sideFile}`);
      disk.removeFolder(place);
    },
    textOf: ({ id, kind }) => (kind === "file" ? textOf(disk.read(filePath(id))) : undefined),
    putBack({ id, path }) {
      const bytes = disk.read(filePath(id));
      if (bytes) mustBeReadable(path, bytes, filePath(id));
      // The file there is a render of stored data: the caller has ingested edits.
      disk.remove(path);
      disk.move(filePath(id), path);
      disk.remove(notePath(id));
    },
    remove({ id }) {
      disk.remove(filePath(id));
      disk.remove(notePath(id));
    },
  };
}

function parsed(text: string | undefined): Omit<QuarantineEntry, "id"> | undefined {
  try {
    const entry = JSON.parse(text ?? "") as Partial<QuarantineEntry> | null;
    const isEntry =
      (entry?.kind === "file" || entry?.kind === "value") &&
      [entry.path, entry.reason, entry.at].every((one) => typeof one === "string");
    return isEntry ? (entry as QuarantineEntry) : undefined;
  } catch {
    return undefined; // not a description of ours
  }
}

function mustBeReadable(path: string, bytes: Uint8Array, now: string): void {
  const [place, , ...rest] = path.split("/");
  const layout = layouts.find((one) => one.folder === place);
  const isEntry = rest.length === 2 && Object.values(entryFolders).includes(rest[0]!);
  if (!layout || (!isEntry && rest.join("/") !== recordFile)) {
    throw new AppError("invalid", "quarantine_place", `${path} is not the place of a record`);
  }
  try {
    if (isEntry) readEntry(bytes, rest[1]!);
    else parsePage(layout, bytes);
  } catch (error) {
    if (!(error instanceof PageFault)) throw error;
    const message = `${now} still cannot be used: ${error.message}; edit it there, then restore it`;
    throw new AppError("invalid", "quarantine_unreadable", message);
  }
}
