import type { Logger } from "../base/logger.ts";
import type { Ledger, TargetView } from "../ledger/index.ts";
import type { Aside } from "./aside.ts";
import { companyOf, idOf } from "./company.ts";
import type { EntryFiles } from "./entry-files.ts";
import { aliasPrefix } from "./fields.ts";
import { chooseFolder, folderOf } from "./folders.ts";
import { isClean } from "./front-matter.ts";
import { recordOf, type GatheringIndex } from "./gathering-index.ts";
import { layoutOfTarget, recordFile, type Layout } from "./layout.ts";
import { createLinks } from "./links.ts";
import type { ParsedPage } from "./parse-page.ts";
import { personOf } from "./person.ts";
import type { RecordDisk } from "./record-disk.ts";
import type { Indexed } from "./record-index.ts";
import type { Redirects } from "./redirects.ts";
import { createFileRenderer } from "./render-file.ts";
import { isSlug } from "./slug.ts";
import { sideFile } from "./side-file.ts";
import { takeInFile, type TakenIn } from "./take-in.ts";
import { ownerOf, type FoundFile } from "./whose.ts";

/**
 * Brings the files of a record up to what the ledger knows. Always:
 * - a file that is not as we wrote it is taken in before it is replaced;
 * - a file is never overwritten: it is taken away, looked at, and the new one is put in its place
 *   unless someone was quicker; then all begins anew;
 * - what cannot be understood stays where it is, and is told; the index has the facts all the same.
 */
export interface Renderer {
  render(target: string, options?: RenderOptions): Promise<Rendered>;
  /** Takes in what is in a file, wherever that is now. Undefined: it is nobody's. */
  takeIn(
    file: FoundFile & {
      /** Where it is now, if that is elsewhere. */
      readonly name?: string;
    },
  ): Promise<(TakenIn & { readonly target: string }) | undefined>;
}

export interface RenderOptions {
  /** One of many: its files are not synced. */
  readonly isHasty?: boolean;
  /** What is known of it, if that was just read. */
  readonly view?: TargetView | undefined;
  /** By path: the rev of files that were just found as we wrote them. They are not read again. */
  readonly clean?: ReadonlyMap<string, string>;
  /** A file that became facts already, for instance because someone made it new. */
  readonly takenIn?: {
    readonly bytes: Uint8Array;
    /** Undefined: it was the text of another record, and no shape for this one. */
    readonly parsed: ParsedPage | undefined;
  };
}

/** What a hand had changed in a file. */
export interface Edit {
  readonly target: string;
  readonly fields: readonly string[];
}

export interface Rendered {
  readonly edits: readonly Edit[];
  /** Other records that show something of this one, or whose text was found in its place. */
  readonly followers: readonly string[];
}

export interface RendererOptions {
  readonly ledger: Pick<Ledger, "read" | "write">;
  readonly index: GatheringIndex;
  readonly disk: RecordDisk;
  readonly aside: Aside;
  readonly entryFiles: EntryFiles;
  readonly redirects: Redirects;
  readonly log: Logger;
  /** Of facts that come from files. */
  readonly source: string;
  /** What is wrong with a file; undefined: nothing any more. */
  readonly tell: (path: string, target: string, reason: string | undefined) => void;
}

const nothing: Rendered = { edits: [], followers: [] };
/** Who saves faster than we render wins in the end; then the next event has its turn. */
const attemptsMax = 5;

export function createRenderer(options: RendererOptions): Renderer {
  const { ledger, index, disk, aside, entryFiles, redirects, log, source, tell } = options;
  const links = createLinks(index);

  const takeIn: Renderer["takeIn"] = async (file) => {
    const owner = ownerOf({ disk, index }, file);
    if (!owner) return undefined;
    const { layout, bytes, name = file.from } = file;
    const { target } = owner;
    const taken = await takeInFile(ledger, links, { ...owner, layout, bytes, source });
    const reason = taken.kind === "broken" ? taken.reason : undefined;
    tell(name, target, reason);
    if (taken.kind === "taken" && taken.fields.length > 0) {
      log.info("a hand edit was taken in", { target, fields: taken.fields });
    }
    return { ...taken, target };
  };

  const renderFile = createFileRenderer({ index, disk, aside, links, log, takeIn, tell });

  /** Gives the record its folder; who had it by mistake moves out first. */
  const settleFolder = async (layout: Layout, view: TargetView, { isHasty }: RenderOptions) => {
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
    return {
      indexed,
      old,
      moved: displaced === undefined ? nothing : await render(displaced, hasty),
    };
  };

  /** A folder that is about to change, and that nobody else wants, becomes an alias first. */
  const leadOn = async (indexed: Indexed): Promise<boolean> => {
    const { target, slug, aliases } = recordOf(indexed);
    const old = index.render(target)?.folder.split("/")[1];
    if (old === undefined || old === slug || aliases.includes(old) || !isSlug(old)) return false;
    if (index.wanting(indexed.kind, old).some((one) => one !== target)) return false;
    const changes = [{ target, field: `${aliasPrefix}${old}`, value: true }];
    return (await ledger.write({ source: "system", changes })).datagrams.length > 0;
  };

  const moveFolder = (target: string, to: string) => {
    const from = index.render(target)?.folder;
    if (from === undefined || from === to) return;
    redirects.clear(to);
    if (!disk.has(to) && disk.move(from, to)) return;
    // After a crash another record may have it already, and a hand may have been at that one.
    const bytes = disk.read(`${from}/${recordFile}`);
    if (bytes && !isClean(bytes)) aside.take(`${from}/${recordFile}`);
    removeOwn(from);
  };

  /** Only what we made; what someone else put there stays. */
  const removeOwn = (folder: string) => {
    entryFiles.removeAll(folder);
    disk.remove(`${folder}/${recordFile}`);
    disk.remove(`${folder}/${sideFile}`);
    disk.removeFolder(folder);
  };

  const renderGone = async (view: TargetView): Promise<Rendered> => {
    const { target } = view;
    const edits: Edit[] = [];
    const mark = index.render(target);
    if (index.find(target)) index.drop(target);
    if (mark) {
      const path = `${mark.folder}/${recordFile}`;
      const bytes = disk.read(path);
      if (bytes && !view.isForgotten && !isClean(bytes)) {
        const layout = layoutOfTarget(target)!;
        const taken = await takeIn({ layout, holder: target, from: path, bytes });
        if (taken?.kind === "broken") return followersOf(view, []);
        if (taken?.kind === "taken") edits.push({ target: taken.target, fields: taken.fields });
      }
      removeOwn(mark.folder);
      index.unmark(target);
      index.problem(path, undefined);
    }
    return followersOf(view, edits);
  };
  const followersOf = ({ target, mergedInto }: TargetView, edits: readonly Edit[]): Rendered => {
    const others = edits.map((edit) => edit.target).filter((one) => one !== target);
    return { edits, followers: mergedInto === undefined ? others : [mergedInto, ...others] };
  };

  const render = async (target: string, how: RenderOptions = {}): Promise<Rendered> => {
    const layout = layoutOfTarget(target);
    if (!layout) return nothing;
    const edits: Edit[] = [];
    const followers = new Set<string>();
    let { takenIn, view: given } = how;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const view = given ?? (await ledger.read(target));
      given = undefined;
      if (isGone(view)) return renderGone(view);
      const { indexed, old, moved } = await settleFolder(layout, view, how);
      edits.push(...moved.edits);
      const relatives = isRenamed(old, indexed) ? relativesOf(indexed) : [];
      for (const one of [...moved.followers, ...relatives]) followers.add(one);
      const record = recordOf(indexed);
      const folder = folderOf(layout.kind, record.slug);
      if (await leadOn(indexed)) continue;
      moveFolder(target, folder);
      const outcome = await renderFile({ layout, view, folder, how, takenIn });
      if (outcome.kind === "taken") {
        ({ takenIn } = outcome);
        edits.push(outcome.edit);
        if (outcome.edit.target !== target) followers.add(outcome.edit.target);
      }
      if (outcome.kind === "taken" || outcome.kind === "again") continue;
      const mark = index.render(target);
      const rev = outcome.kind === "done" ? outcome.rev : (mark?.rev ?? "");
      if (mark?.folder !== folder || mark.rev !== rev) index.mark({ target, folder, rev });
      await entryFiles.render({ target, folder, entries: record.entries, ...how });
      await redirects.render(indexed, how);
      return { edits, followers: [...followers] };
    }
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

  return { render, takeIn };
}

export const indexedOf = (layout: Layout, view: TargetView): Indexed =>
  layout.kind === "company"
    ? { kind: "company", company: companyOf(view) }
    : { kind: "person", person: personOf(view) };

/** Forgotten, merged into another, or with nothing in it. */
export const isGone = ({ isForgotten, mergedInto, fields }: TargetView): boolean =>
  isForgotten || mergedInto !== undefined || fields.length === 0;

const withSlug = (indexed: Indexed, slug: string): Indexed =>
  indexed.kind === "company"
    ? { ...indexed, company: { ...indexed.company, slug } }
    : { ...indexed, person: { ...indexed.person, slug } };

/** A link shows the name and the folder of what it leads to. */
function isRenamed(old: Indexed | undefined, now: Indexed): boolean {
  const [before, after] = [recordOf(old), recordOf(now)];
  return before?.slug !== after.slug || before.name !== after.name;
}
