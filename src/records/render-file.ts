import type { Logger } from "../base/logger.ts";
import type { TargetView } from "../ledger/index.ts";
import type { Aside, Taken } from "./aside.ts";
import { idOf } from "./company.ts";
import { isClean, isEqual, revIn, textOf, writePage } from "./front-matter.ts";
import type { GatheringIndex } from "./gathering-index.ts";
import { recordFile, type Layout } from "./layout.ts";
import { factsOf, pageOf, type Facts, type Links } from "./page.ts";
import { parsePage, type ParsedPage } from "./parse-page.ts";
import { patchPage } from "./patch-page.ts";
import type { Prepared, RecordDisk } from "./record-disk.ts";
import type { Edit, Renderer, RenderOptions } from "./render.ts";
import { addRender, findBase, sideFile, tokenOf } from "./side-file.ts";
import { isEmpty } from "./take-in.ts";

export interface FileJob {
  readonly layout: Layout;
  readonly view: TargetView;
  readonly folder: string;
  readonly how: RenderOptions;
  readonly takenIn: RenderOptions["takenIn"];
}

export type FileOutcome =
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

export interface FileRendererOptions extends Pick<Renderer, "takeIn"> {
  readonly index: Pick<GatheringIndex, "problem">;
  readonly disk: RecordDisk;
  readonly aside: Aside;
  readonly links: Links;
  readonly log: Logger;
  readonly tell: (path: string, target: string, reason: string | undefined) => void;
}

/** Writes the file of a record whose folder is settled, unless a hand was at it: see `Renderer`. */
export function createFileRenderer(
  options: FileRendererOptions,
): (job: FileJob) => Promise<FileOutcome> {
  const { index, disk, aside, links, log, takeIn, tell } = options;

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
        if (hasFault({ target, folder, bytes: undefined })) return { kind: "broken" };
        if (newSide !== side) await disk.overwrite(`${folder}/${sideFile}`, newSide, how);
        return { kind: "done", rev: seen };
      }
    }
    const bytes = disk.read(path);
    if (hasFault({ target, folder, bytes })) return { kind: "broken" };
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

  /** Whether a link, a pipe or the like stands where one of its two files belongs. */
  const hasFault = (job: {
    readonly target: string;
    readonly folder: string;
    readonly bytes: Uint8Array | undefined;
  }): boolean => {
    const names = [...(job.bytes ? [] : [recordFile]), sideFile];
    for (const path of names.map((name) => `${job.folder}/${name}`)) {
      const fault = disk.fault(path);
      if (fault) tell(path, job.target, fault.reason);
      if (fault) return true;
    }
    return false;
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
    const outcome = file.place(path, { isAgain: bytes !== undefined, former: taken?.name });
    if (taken) dismiss(taken);
    return outcome === "placed";
  };
  const dismiss = (taken: Taken) => {
    if (isClean(taken.bytes) || isEmpty(taken.bytes)) aside.letGo(taken);
    else aside.keep(taken);
  };

  return renderFile;
}

const isSameFacts = (a: Facts, b: Facts): boolean =>
  a.size === b.size &&
  [...a].every(([field, value]) => b.has(field) && tokenOf(value) === tokenOf(b.get(field)));
