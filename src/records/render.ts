import type { Logger } from "../base/logger.ts";
import type { Ledger, TargetView } from "../ledger/index.ts";
import type { Aside, Taken } from "./aside.ts";
import { companyOf, idOf } from "./company.ts";
import type { EntryFiles } from "./entry-files.ts";
import { aliasPrefix } from "./fields.ts";
import { chooseFolder, folderOf } from "./folders.ts";
import { isAsWritten, revIn, writePage } from "./front-matter.ts";
import { recordOf, type GatheringIndex } from "./gathering-index.ts";
import { layoutOfTarget, recordFile, type Layout } from "./layout.ts";
import { createLinks } from "./links.ts";
import { factsOf, pageOf, type Facts } from "./page.ts";
import { parsePage, type ParsedPage } from "./parse-page.ts";
import { patchPage } from "./patch-page.ts";
import { personOf } from "./person.ts";
import type { Prepared, RecordDisk } from "./record-disk.ts";
import type { Indexed } from "./record-index.ts";
import type { Redirects } from "./redirects.ts";
import { isSlug } from "./slug.ts";
import { addRender, findBase, sideFile, tokenOf } from "./side-file.ts";
import { isEmpty, takeInFile, type TakenIn } from "./take-in.ts";
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
      await entryFiles.render({ folder, entries: record.entries, ...how });
      await redirects.render(indexed, how);
      return { edits, followers: [...followers] };
    }
    log.warn("a file changes faster than it can be written", { target });
    return { edits, followers: [...followers] };
  };

  const renderFile = async (job: FileJob): Promise<FileOutcome> => {
    const { layout, view, folder, how, takenIn } = job;
    const { target } = view;
    const path = `${folder}/${recordFile}`;
    const seen = how.clean?.get(path);
    if (seen !== undefined && !takenIn) {
      const composed = compose({ layout, view, parsed: undefined });
      // Not written, so whatever a hand has done to it since is there when it is looked at next.
      if (revIn(composed.text) === seen) {
        const [side, told] = [readSide(folder), { ...composed, rev: seen, fields: view.fields }];
        const newSide = addRender(side, told);
        if (newSide !== side) await disk.overwrite(`${folder}/${sideFile}`, newSide, how);
        return { kind: "done", rev: seen };
      }
    }
    const bytes = disk.read(path);
    const isOurs = bytes === undefined || isEmpty(bytes) || isClean(bytes);
    if (isOurs) index.problem(path, undefined);
    const isTaken = bytes !== undefined && takenIn !== undefined && isEqual(takenIn.bytes, bytes);
    if (!isOurs && !isTaken) {
      const taken = await takeIn({ layout, holder: target, from: path, bytes });
      if (taken?.kind !== "taken") return { kind: "broken" };
      const { parsed, ...edit } = taken;
      // The shape of another record's text is not the shape of this one.
      const shape = edit.target === target ? parsed : undefined;
      return { kind: "taken", takenIn: { bytes, parsed: shape }, edit };
    }
    const side = readSide(folder);
    const before = isOurs ? textOf(bytes) : undefined;
    const parsed = isTaken ? takenIn.parsed : handmade(layout, before, side);
    const composed = compose({ layout, view, parsed });
    const { text } = composed;
    const rev = revIn(text)!;
    const newSide = addRender(side, { ...composed, rev, fields: view.fields });
    const texts = [...(newSide === side ? [] : [newSide]), ...(text === before ? [] : [text])];
    const ready = [...(await disk.prepareAll(texts, how))];
    if (newSide !== side) ready.shift()!.replace(`${folder}/${sideFile}`);
    const isPlaced = text === before || putInPlace({ path, bytes, file: ready.shift()! });
    return isPlaced ? { kind: "done", rev } : { kind: "again" };
  };

  const readSide = (folder: string) => textOf(disk.read(`${folder}/${sideFile}`));
  /** A file that a hand has shaped is patched from then on. */
  const handmade = (layout: Layout, text: string | undefined, side: string | undefined) =>
    text && findBase(side, revIn(text) ?? "")?.isHandmade
      ? parsePage(layout, Buffer.from(text))
      : undefined;

  interface Composed {
    readonly text: string;
    readonly shown: Facts;
    readonly isHandmade: boolean;
  }

  const compose = (job: {
    readonly layout: Layout;
    readonly view: TargetView;
    readonly parsed: ParsedPage | undefined;
  }): Composed => {
    const { layout, view, parsed } = job;
    const id = idOf(view.target);
    const page = pageOf(layout, view, links);
    const shown = factsOf(layout, page, links);
    const text = writePage(page, id);
    if (!parsed) return { text, shown, isHandmade: false };
    const patched = patchPage(layout, parsed, page, id);
    if (patched === text) return { text, shown, isHandmade: false };
    const reread = factsOf(layout, parsePage(layout, Buffer.from(patched)).page, links);
    if (isSameFacts(reread, shown)) return { text: patched, shown, isHandmade: true };
    log.warn("a file could not be patched and was written anew", { target: view.target });
    return { text, shown, isHandmade: false };
  };

  /** False: someone was quicker, or had written to it in between. */
  const putInPlace = (job: {
    readonly path: string;
    readonly bytes: Uint8Array | undefined;
    readonly file: Prepared;
  }): boolean => {
    const { path, bytes, file } = job;
    // Nothing waits here: for an editor the file is gone for no time at all.
    const taken = bytes && aside.take(path);
    if (taken && !isEqual(taken.bytes, bytes)) {
      // Saved between our look and now: it goes back, and is looked at first.
      aside.putBack(taken);
      file.discard();
      return false;
    }
    const outcome = file.place(path, { isAgain: bytes !== undefined });
    if (taken) dismiss(taken);
    return outcome === "placed";
  };
  const dismiss = (taken: Taken) => {
    if (isClean(taken.bytes) || isEmpty(taken.bytes)) aside.letGo(taken);
    else aside.keep(taken);
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

interface FileJob {
  readonly layout: Layout;
  readonly view: TargetView;
  readonly folder: string;
  readonly how: RenderOptions;
  readonly takenIn: RenderOptions["takenIn"];
}

type FileOutcome =
  | { readonly kind: "done"; readonly rev: string }
  /** Left alone. */
  | { readonly kind: "broken" }
  /** Someone was quicker. */
  | { readonly kind: "again" }
  /** It had become facts: what is known has changed. */
  | {
      readonly kind: "taken";
      readonly takenIn: NonNullable<RenderOptions["takenIn"]>;
      readonly edit: Edit;
    };

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

const isSameFacts = (a: Facts, b: Facts): boolean =>
  a.size === b.size &&
  [...a].every(([field, value]) => b.has(field) && tokenOf(value) === tokenOf(b.get(field)));

export const isClean = (bytes: Uint8Array): boolean => isAsWritten(textOf(bytes)!);
export const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
export const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
