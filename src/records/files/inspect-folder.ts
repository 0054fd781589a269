import { AppError } from "../../base/app-error.ts";
import { idOf, type Company } from "../fields/company.ts";
import { folderOf } from "./folders.ts";
import { idIn, isAsWritten, isClean, revIn, textOf } from "../page/front-matter.ts";
import { recordOf, type GatheringIndex } from "../search/gathering-index.ts";
import { layouts, recordFile, type RecordLayout } from "./layout.ts";
import { createLinks } from "../page/links.ts";
import { PageFault, parsePage, type ParsedPage } from "../page/parse-page.ts";
import type { Facts } from "../page/page.ts";
import type { Person } from "../fields/person.ts";
import type { RecordDisk } from "./record-disk.ts";
import type { RenderMark } from "../search/record-index.ts";
import { findBase, sideFile } from "../page/side-file.ts";
import { foldersFor, isSlug, slugOf } from "./slug.ts";
import { isEmpty, readFacts } from "../ingest/ingest-file.ts";

/** The content of a folder of records. */
export type FolderFound =
  /** Nothing to read, or a redirect that Forager wrote. */
  | { readonly kind: "clean" }
  /** A record. If its file is not the last render, rendering ingests it. */
  | {
      readonly kind: "record";
      readonly target: string;
      /** The rev of the last render, if the file is that render. */
      readonly cleanRev: string | undefined;
    }
  /** A user renamed the folder of a record. */
  | { readonly kind: "renamed"; readonly target: string; readonly slug: string }
  /** A user saved the text of a record in its former folder. */
  | { readonly kind: "left"; readonly target: string }
  /** A render of a record in one of its former folders. Its own file is elsewhere. */
  | { readonly kind: "leftover"; readonly target: string }
  /** A user created a new record. */
  | {
      readonly kind: "new";
      readonly slug: string;
      readonly facts: Facts;
      readonly bytes: Uint8Array;
      readonly parsed: ParsedPage;
    }
  | { readonly kind: "broken"; readonly target: string | undefined; readonly reason: string };

export interface FolderPlace {
  readonly layout: RecordLayout;
  /** The name of the folder on disk. */
  readonly name: string;
}

/** Reads one folder; changes nothing. */
export function lookAtFolder(
  disk: RecordDisk,
  index: GatheringIndex,
  { layout, name }: FolderPlace,
): FolderFound {
  const { kind, folder } = layout;
  const bytes = disk.read(`${folder}/${name}/${recordFile}`);
  const known = bytes && asWrittenLast({ layout, name, index, text: textOf(bytes) });
  if (known) return { kind: "record", target: known.target, cleanRev: known.rev };
  const target = index.bySlug(kind, name);
  const mark = target === undefined ? undefined : index.render(target);
  const fault = bytes ? undefined : disk.fault(`${folder}/${name}/${recordFile}`);
  // A regular file among the folders does not belong to Forager, unless it is in the place of a
  // record.
  if (fault && (fault.isSpecial || target !== undefined)) {
    return { kind: "broken", target, reason: fault.reason };
  }
  if (target !== undefined && mark?.folder === `${folder}/${name}`) {
    return { kind: "record", target, cleanRev: undefined };
  }
  if (!bytes || isEmpty(bytes)) return { kind: "clean" };
  try {
    const parsed = parsePage(layout, bytes);
    if (parsed.isRedirect) {
      if (isClean(bytes)) return { kind: "clean" };
      const where = target === undefined ? "elsewhere" : recordOf(index.find(target))?.slug;
      throw new PageFault(`this record has moved: edit ${folder}/${where}/${recordFile} instead`);
    }
    return parsed.id === "" && parsed.rev === undefined
      ? findNew({ layout, name, index, bytes, parsed })
      : findOld({ layout, name, index, disk, bytes, parsed });
  } catch (error) {
    if (!(error instanceof PageFault)) throw error;
    return { kind: "broken", target, reason: error.message };
  }
}

/**
 * The record whose last render this file is. Nearly all files are such renders, and they contain
 * the id.
 */
function asWrittenLast(job: {
  readonly layout: RecordLayout;
  readonly name: string;
  readonly index: GatheringIndex;
  readonly text: string;
}): RenderMark | undefined {
  const { layout, name, index, text } = job;
  const id = idIn(text);
  if (id === undefined || !isAsWritten(text)) return undefined;
  const mark = index.render(`${layout.kind}/${id}`);
  return mark?.folder === folderOf(layout.kind, name) && mark.rev === revIn(text)
    ? mark
    : undefined;
}

function findNew(job: {
  readonly layout: RecordLayout;
  readonly name: string;
  readonly index: GatheringIndex;
  readonly bytes: Uint8Array;
  readonly parsed: ParsedPage;
}): FolderFound {
  const { layout, name, index, bytes, parsed } = job;
  const slug = slugOf(name, name);
  const holder = slug === name ? undefined : index.bySlug(layout.kind, slug);
  if (holder !== undefined) {
    throw new PageFault(
      `${layout.folder}/${name} and ${layout.folder}/${slug} are one name on some disks: ` +
        `rename the new one, or copy its text into the other`,
    );
  }
  return { kind: "new", slug, facts: readFacts(layout, parsed, createLinks(index)), bytes, parsed };
}

/** The file has an id, and this is not the folder of that record. */
function findOld(job: {
  readonly layout: RecordLayout;
  readonly name: string;
  readonly index: GatheringIndex;
  readonly disk: RecordDisk;
  readonly bytes: Uint8Array;
  readonly parsed: ParsedPage;
}): FolderFound {
  const { layout, name, index, disk, bytes, parsed } = job;
  const target = `${layout.kind}/${parsed.id}`;
  const mark = parsed.id === "" ? undefined : index.render(target);
  if (!mark) {
    throw new PageFault(
      `its id (${parsed.id || "none"}) is not known here: remove id and rev to make it a new one`,
    );
  }
  const record = recordOf(index.find(target));
  // The record was merged into another while its file could not be read, or its mark is out of
  // date.
  if (mark.folder === folderOf(layout.kind, name) || record?.slug === name)
    return { kind: "record", target, cleanRev: undefined };
  const side = textOf(disk.read(`${mark.folder}/${sideFile}`));
  // An editor had it open when the record was moved. In any other folder it is a copy.
  const isOldPlace = index.bySlug(layout.kind, name) === target;
  if (isOldPlace && findBase(side, parsed.rev ?? "")) return { kind: "left", target };
  const isElsewhere = disk.has(`${mark.folder}/${recordFile}`);
  if (isElsewhere && record && isClean(bytes) && namesOf(record).includes(name)) {
    return { kind: "leftover", target };
  }
  if (isElsewhere || !isSlug(slugOf(name, idOf(target)))) {
    throw new PageFault(
      `it is a copy of ${mark.folder}/${recordFile}: remove id and rev to make it a new one`,
    );
  }
  return { kind: "renamed", target, slug: slugOf(name, idOf(target)) };
}

/**
 * The folder names that Forager chooses for a record. A user who copies a folder chooses another
 * name.
 */
const namesOf = ({ target, slugWanted, aliases }: Company | Person): readonly string[] => [
  slugWanted,
  ...aliases,
  ...foldersFor(slugWanted, idOf(target)),
];

/** Every folder, or those that contain the given paths. Throws if `companies` is a link. */
export function* foldersToLookAt(
  disk: RecordDisk,
  only: readonly string[] | undefined,
): Generator<FolderPlace> {
  for (const layout of layouts) {
    checkLayoutFolder(disk, layout);
    const names = only
      ? new Set(only.flatMap((path) => nameIn(layout, path)))
      : disk.list(layout.folder);
    for (const name of names) {
      if (!name.startsWith(".")) yield { layout, name };
    }
  }
}

/** A link here would hide every record of that kind, or write all of them elsewhere. */
export function checkLayoutFolder(disk: RecordDisk, { folder }: RecordLayout): void {
  const fault = disk.folderFault(folder);
  if (!fault) return;
  const message = `the records in ${disk.path("")} cannot be used: ${fault.reason}`;
  throw new AppError("invalid", "not_a_regular_file", message);
}

function nameIn({ folder }: RecordLayout, path: string): readonly string[] {
  const [first, name] = path.split("/");
  return first === folder && name ? [name] : [];
}

export const pathOf = ({ layout, name }: FolderPlace): string =>
  `${folderOf(layout.kind, name)}/${recordFile}`;
