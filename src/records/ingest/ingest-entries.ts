import type { Clock } from "../../base/clock.ts";
import { AppError } from "../../base/app-error.ts";
import { createId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import type { Ledger } from "../../ledger/index.ts";
import type { HeldBack } from "../files/held-back.ts";
import { entryField, entryValue } from "../fields/entry.ts";
import { entryFolders, entryKeys, isEntryFile } from "../files/entry-files.ts";
import type { EntryKind } from "../fields/fields.ts";
import { isClean, splitSheet } from "../page/front-matter.ts";
import type { KeyMeaning, RecordLayout } from "../files/layout.ts";
import { decode, hasConflict, conflictFault, PageFault, parsePage } from "../page/parse-page.ts";
import type { RecordDisk } from "../files/record-disk.ts";
import { isEmpty } from "./ingest-file.ts";
import { entryKeySpellings } from "./spellings.ts";

export interface EntryIngester {
  /** Returns the fields that came from new and edited files. */
  ingest(place: { readonly target: string; readonly folder: string }): Promise<readonly string[]>;
}

export interface EntryIngesterOptions {
  readonly ledger: Pick<Ledger, "write">;
  readonly disk: RecordDisk;
  readonly heldBack: HeldBack;
  readonly clock: Clock;
  readonly random: Random;
  readonly source: string;
  readonly reportFault: (path: string, target: string, reason: string | undefined) => void;
}

/** A note that a user put next to a record, with or without front matter, becomes an entry. */
export function createEntryIngester(options: EntryIngesterOptions): EntryIngester {
  const { ledger, disk, heldBack, clock, random, source, reportFault } = options;

  const ingestOne = async (target: string, kind: EntryKind, path: string) => {
    const bytes = disk.read(path);
    if (!bytes || isEmpty(bytes) || isClean(bytes)) {
      reportFault(path, target, bytes ? undefined : disk.fault(path)?.reason);
      return [];
    }
    try {
      const found = readEntry(bytes, path.slice(path.lastIndexOf("/") + 1));
      const { id = createId(random, idLength), at = isoOf(clock.nowMs()), ...rest } = found;
      const field = entryField({ kind, id });
      const by = rest.by ?? source.replace(/^hand:/, "");
      const value = entryValue({ ...rest, at, by });
      await ledger.write({ source, changes: [{ target, field, value }] });
      const held = heldBack.hold(path);
      if (held) heldBack.keep(held);
      reportFault(path, target, undefined);
      return [field];
    } catch (error) {
      const isRefused = error instanceof AppError && error.kind === "invalid";
      if (!(error instanceof PageFault) && !isRefused) throw error;
      reportFault(path, target, error.message);
      return [];
    }
  };

  return {
    async ingest({ target, folder }) {
      const fields: string[] = [];
      for (const [kind, place] of Object.entries(entryFolders)) {
        const at = `${folder}/${place}`;
        for (const file of disk.list(at, ({ reason }) => reportFault(at, target, reason))) {
          if (!isEntryFile(file)) continue;
          const path = `${at}/${file}`;
          fields.push(...(await ingestOne(target, kind as EntryKind, path)));
        }
      }
      return fields;
    },
  };
}

const idLength = 16;

const keys = [
  ...entryKeys.map((key) => [key, { kind: "text", field: key }] as const),
  ...["id", "rev"].map((key) => [key, { kind: "own" }] as const),
];
const layout: RecordLayout = {
  kind: "company",
  folder: "companies",
  keys: new Map<string, KeyMeaning>(keys),
  spellings: entryKeySpellings,
};

interface FoundEntry {
  readonly id?: string;
  readonly at?: string;
  readonly title?: string;
  readonly by?: string;
  readonly text: string;
}

/** Reads the file of a note. Throws PageFault. */
export function readEntry(bytes: Uint8Array, file: string): FoundEntry {
  const text = decode(bytes);
  if (hasConflict(text)) throw conflictFault();
  const named = nameParts(file);
  if (!splitSheet(text) && !text.replace(/^\ufeff/, "").startsWith("---")) {
    return { ...named, text: text.replace(/^\ufeff/, "").replace(/\r?\n$/, "") };
  }
  const { page, id } = parsePage(layout, bytes);
  const unknown = [...page.keys.keys()].find((key) => !layout.keys.has(key));
  if (unknown !== undefined) {
    throw new PageFault(`its key ${unknown} is not one of a note's: put it into the text`);
  }
  const given = Object.fromEntries(page.keys) as Omit<FoundEntry, "text">;
  return { ...(id === "" ? named : { id }), ...given, text: page.body ?? "" };
}

/** `2026-11-16 Lunch with Anna.md` contains the date and the title. */
function nameParts(file: string): { readonly at?: string; readonly title?: string } {
  const stem = file.replace(/\.md$/, "");
  const [date] = /^\d{4}-\d\d-\d\d/.exec(stem) ?? [];
  const title = stem.slice(date?.length ?? 0).replaceAll(/^[\s_.-]+/g, "");
  return { ...(date && { at: date }), ...(title && { title }) };
}

const isoOf = (ms: number) => new Date(ms).toISOString();
