import type { Logger } from "../../base/log/logger.ts";
import type { Ledger, TargetView } from "../../ledger/index.ts";
import type { HeldBack } from "../files/held-back.ts";
import { companyOf, idOf } from "../fields/company.ts";
import type { EntryFiles } from "../files/entry-files.ts";
import { aliasPrefix } from "../fields/fields.ts";
import { chooseFolder, folderOf } from "../files/folders.ts";
import { isClean } from "../page/front-matter.ts";
import { recordOf, type GatheringIndex } from "../search/gathering-index.ts";
import { layoutOfTarget, recordFile, type RecordLayout } from "../files/layout.ts";
import { createLinks } from "../page/links.ts";
import type { ParsedPage } from "../page/parse-page.ts";
import { personOf } from "../fields/person.ts";
import type { RecordDisk } from "../files/record-disk.ts";
import type { Indexed } from "../search/record-index.ts";
import type { Redirects } from "../files/redirects.ts";
import { createFileRenderer } from "./render-file.ts";
import { isSlug } from "../files/slug.ts";
import { sideFile } from "../page/side-file.ts";
import { ingestFile, type FileIngest } from "../ingest/ingest-file.ts";
import { ownerOf, type FoundFile } from "../files/owner-of.ts";

/**
 * Writes the files of a record from the ledger. Invariants:
 * - a file that was edited is ingested before it is replaced;
 * - a file is never overwritten: it is moved away, compared, and the new one is put in its place
 *   unless a user saved another one meanwhile; then rendering starts again;
 * - a file that cannot be parsed stays where it is and is reported; the index has the facts.
 */
export interface Renderer {
  render(target: string, options?: RecordRenderOptions): Promise<RenderedRecord>;
  /** Ingests a file, wherever it is now. Undefined: it belongs to no record. */
  ingest(
    file: FoundFile & {
      /** Its current path, if different. */
      readonly name?: string;
    },
  ): Promise<(FileIngest & { readonly target: string }) | undefined>;
  /** Removes a record's files from a folder, except files that a user created there. */
  removeOwn(folder: string): void;
  /** Also removes notes that users wrote, because they are about the record. Other files stay. */
  removeAll(folder: string): void;
}

export interface RecordRenderOptions {
  /** True for one of many files: they are not synced. */
  readonly isHasty?: boolean;
  /** The record in the ledger, if it was just read. */
  readonly view?: TargetView | undefined;
  /** Path → rev of files that were just found to be unedited renders. They are not read again. */
  readonly clean?: ReadonlyMap<string, string>;
  /** A file that was ingested already, for instance because a user created it. */
  readonly ingested?: {
    readonly bytes: Uint8Array;
    /** Undefined: it was the text of another record, so its format is not used. */
    readonly parsed: ParsedPage | undefined;
  };
}

/** What a user changed in a file. */
export interface RecordEdit {
  readonly target: string;
  readonly fields: readonly string[];
}

export interface RenderedRecord {
  readonly edits: readonly RecordEdit[];
  /** Other records to render: they show something of this one, or their text was found here. */
  readonly followers: readonly string[];
}

export interface RendererOptions {
  readonly ledger: Pick<Ledger, "read" | "write">;
  readonly index: GatheringIndex;
  readonly disk: RecordDisk;
  readonly heldBack: HeldBack;
  readonly entryFiles: EntryFiles;
  readonly redirects: Redirects;
  readonly log: Logger;
  /** The source of facts that come from files. */
  readonly source: string;
  /** Reports what is wrong with a file; undefined: the problem is gone. */
  readonly reportFault: (path: string, target: string, reason: string | undefined) => void;
}

const nothing: RenderedRecord = { edits: [], followers: [] };
/** If a file is saved more often than this while it is rendered, a later event renders it. */
const attemptsMax = 5;

export function createRenderer(options: RendererOptions): Renderer {
  const { ledger, index, disk, heldBack, entryFiles, redirects, log, source, reportFault } =
    options;
  const links = createLinks(index);

  const ingest: Renderer["ingest"] = async (file) => {
    const owner = ownerOf({ disk, index }, file);
    if (!owner) return undefined;
    const { layout, bytes, name = file.from } = file;
    const { target } = owner;
    const found = await ingestFile(ledger, links, { ...owner, layout, bytes, source });
    const reason = found.kind === "broken" ? found.reason : undefined;
    reportFault(name, target, reason);
    if (found.kind === "ingested" && found.fields.length > 0) {
      log.info("imported a manual edit", { target, fields: found.fields });
    }
    return { ...found, target };
  };

  const renderFile = createFileRenderer({ index, disk, heldBack, links, log, ingest, reportFault });

  /**
   * Gives the record its folder. If another record has the folder and must give it up, that one
   * moves first.
   */
  const settleFolder = async (
    layout: RecordLayout,
    view: TargetView,
    { isHasty }: RecordRenderOptions,
  ) => {
    const { target } = view;
    const wished = indexedOf(layout, view);
    const { slugWanted } = recordOf(wished);
    const choice = chooseFolder(index, { kind: layout.kind, target, slugWanted });
    const indexed = withSlug(wished, choice.slug);
    const old = index.find(target);
    if (old && JSON.stringify(old) === JSON.stringify(indexed)) {
      return { indexed, old, moved: nothing };
    }
    index.put(indexed);
    const { displaced } = choice;
    const hasty = isHasty === undefined ? {} : { isHasty };
    const moved = await orTakeBack(target, old, () =>
      displaced === undefined ? nothing : render(displaced, hasty),
    );
    return { indexed, old, moved };
  };

  /**
   * If the folder could not be moved, for example on a full disk, the index keeps the old name too.
   */
  const orTakeBack = async <T>(
    target: string,
    old: Indexed | undefined,
    work: () => T | Promise<T>,
  ): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (old) index.put(old);
      else index.drop(target);
      throw error;
    }
  };

  /** Before the folder changes, the old one becomes an alias, unless another record prefers it. */
  const leadOn = async (indexed: Indexed): Promise<boolean> => {
    const { target, slug, aliases } = recordOf(indexed);
    const old = index.render(target)?.folder.split("/")[1];
    if (old === undefined || old === slug || aliases.includes(old) || !isSlug(old)) return false;
    if (index.wanting(indexed.kind, old).some((one) => one !== target)) return false;
    const changes = [{ target, field: `${aliasPrefix}${old}`, value: true }];
    return (await ledger.write({ source: "system", changes })).datagrams.length > 0;
  };

  /**
   * The mark is moved with the folder, not with the render: rendering may be abandoned if a user
   * saves the file repeatedly, and then another record gets the folder that a stale mark would
   * name.
   */
  const moveFolder = (layout: RecordLayout, target: string, to: string) => {
    const mark = index.render(target);
    if (!mark || mark.folder === to) return;
    const from = mark.folder;
    redirects.clear(to);
    if (!isOfAnother(layout, target, from) && (disk.has(to) || !disk.move(from, to))) {
      // After a crash another record may have the folder already, and its file may be edited.
      const bytes = disk.read(`${from}/${recordFile}`);
      if (bytes && !isClean(bytes)) heldBack.hold(`${from}/${recordFile}`);
      removeOwn(from);
    }
    index.mark({ ...mark, folder: to });
  };
  const isOfAnother = ({ kind, folder }: RecordLayout, target: string, at: string): boolean => {
    const holder = index.bySlug(kind, at.slice(folder.length + 1));
    return holder !== undefined && holder !== target && index.render(holder)?.folder === at;
  };

  const removeOwn: Renderer["removeOwn"] = (folder) => {
    entryFiles.removeOwn(folder);
    removeRecord(folder);
  };
  const removeAll: Renderer["removeAll"] = (folder) => {
    entryFiles.removeAll(folder);
    removeRecord(folder);
  };
  const removeRecord = (folder: string) => {
    disk.remove(`${folder}/${recordFile}`);
    disk.remove(`${folder}/${sideFile}`);
    disk.removeFolder(folder);
  };

  const renderGone = async (view: TargetView): Promise<RenderedRecord> => {
    const { target } = view;
    const edits: RecordEdit[] = [];
    const mark = index.render(target);
    if (index.find(target)) index.drop(target);
    if (mark) {
      const path = `${mark.folder}/${recordFile}`;
      const bytes = disk.read(path);
      if (bytes && !view.isForgotten && !isClean(bytes)) {
        const layout = layoutOfTarget(target)!;
        const found = await ingest({ layout, holder: target, from: path, bytes });
        if (found?.kind === "broken") return followersOf(view, []);
        if (found?.kind === "ingested") edits.push({ target: found.target, fields: found.fields });
      }
      if (view.isForgotten) removeAll(mark.folder);
      else removeOwn(mark.folder);
      index.unmark(target);
      index.problem(path, undefined);
    }
    return followersOf(view, edits);
  };
  const followersOf = (
    { target, mergedInto }: TargetView,
    edits: readonly RecordEdit[],
  ): RenderedRecord => {
    const others = edits.map((edit) => edit.target).filter((one) => one !== target);
    return { edits, followers: mergedInto === undefined ? others : [mergedInto, ...others] };
  };

  const render = async (target: string, how: RecordRenderOptions = {}): Promise<RenderedRecord> => {
    const layout = layoutOfTarget(target);
    if (!layout) return nothing;
    const edits: RecordEdit[] = [];
    const followers = new Set<string>();
    let { ingested, view: given } = how;
    let folder = "";
    const markAs = (rev: string | undefined) => {
      const mark = index.render(target);
      const now = { target, folder, rev: rev ?? mark?.rev ?? "" };
      if (mark?.folder !== folder || mark.rev !== now.rev) index.mark(now);
    };
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const view = given ?? (await ledger.read(target));
      given = undefined;
      if (isGone(view)) return renderGone(view);
      const { indexed, old, moved } = await settleFolder(layout, view, how);
      edits.push(...moved.edits);
      const relatives = isRenamed(old, indexed) ? relativesOf(indexed) : [];
      for (const one of [...moved.followers, ...relatives]) followers.add(one);
      const record = recordOf(indexed);
      folder = folderOf(layout.kind, record.slug);
      const isMoved = await orTakeBack(target, old, async () => {
        if (await leadOn(indexed)) return false;
        moveFolder(layout, target, folder);
        return true;
      });
      if (!isMoved) continue;
      const outcome = await renderFile({ layout, view, folder, how, ingested });
      if (outcome.kind === "ingested") {
        ({ ingested } = outcome);
        edits.push(outcome.edit);
        if (outcome.edit.target !== target) followers.add(outcome.edit.target);
      }
      if (outcome.kind === "ingested" || outcome.kind === "again") continue;
      markAs(outcome.kind === "done" ? outcome.rev : undefined);
      const isBare = outcome.kind === "done" && outcome.isNew && record.entries.length === 0;
      if (!isBare) await entryFiles.render({ target, folder, entries: record.entries, ...how });
      await redirects.render(indexed, how);
      return { edits, followers: [...followers] };
    }
    // The file exists, and is ingested at the next check.
    markAs(undefined);
    log.warn("a file changes faster than it can be written", { target });
    return { edits, followers: [...followers] };
  };

  const relativesOf = (indexed: Indexed): readonly string[] =>
    indexed.kind === "company"
      ? indexed.company.people.map(({ id }) => `person/${id}`)
      : [
          ...index.byPerson(idOf(indexed.person.target)),
          ...indexed.person.companies.map(({ id }) => `company/${id}`),
        ];

  return { render, ingest, removeOwn, removeAll };
}

export const indexedOf = (layout: RecordLayout, view: TargetView): Indexed =>
  layout.kind === "company"
    ? { kind: "company", company: companyOf(view) }
    : { kind: "person", person: personOf(view) };

/** True if it was forgotten, merged into another, or has no fields. */
export const isGone = ({ isForgotten, mergedInto, fields }: TargetView): boolean =>
  isForgotten || mergedInto !== undefined || fields.length === 0;

const withSlug = (indexed: Indexed, slug: string): Indexed =>
  indexed.kind === "company"
    ? { ...indexed, company: { ...indexed.company, slug } }
    : { ...indexed, person: { ...indexed.person, slug } };

/**
 * A link shows the name and the folder of its record, so a change of either affects other files.
 */
function isRenamed(old: Indexed | undefined, now: Indexed): boolean {
  const [before, after] = [recordOf(old), recordOf(now)];
  return before?.slug !== after.slug || before.name !== after.name;
}
