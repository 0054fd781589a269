import type { Logger } from "../../base/log/logger.ts";
import { wasErased, type FieldView, type TargetView } from "../../ledger/index.ts";
import type { HeldBack, HeldFile } from "../files/held-back.ts";
import { idOf } from "../fields/company.ts";
import { isClean, isEqual, revIn, textOf, writePage } from "../page/front-matter.ts";
import type { GatheringIndex } from "../search/gathering-index.ts";
import { recordFile, type RecordLayout } from "../files/layout.ts";
import { factsOf, pageOf, type Facts, type Links } from "../page/page.ts";
import { parsePage, type ParsedPage } from "../page/parse-page.ts";
import { patchPage } from "../page/patch-page.ts";
import type { PreparedFile, RecordDisk } from "../files/record-disk.ts";
import type { RecordEdit, Renderer, RecordRenderOptions } from "./render.ts";
import { addRender, findBase, sideFile, tokenOf } from "../page/side-file.ts";
import { isEmpty } from "../ingest/ingest-file.ts";

export interface FileJob {
  readonly layout: RecordLayout;
  readonly view: TargetView;
  readonly folder: string;
  readonly how: RecordRenderOptions;
  readonly ingested: RecordRenderOptions["ingested"];
}

export type FileOutcome =
  | {
      readonly kind: "done";
      readonly rev: string;
      /** The folder did not exist before, so it contains nothing else. */
      readonly isNew: boolean;
    }
  /** The file was not changed. */
  | { readonly kind: "broken" }
  /** A user saved another file meanwhile; start again. */
  | { readonly kind: "again" }
  /** An edit was ingested, so the facts have changed. */
  | {
      readonly kind: "ingested";
      readonly ingested: NonNullable<RecordRenderOptions["ingested"]>;
      readonly edit: RecordEdit;
    };

export interface FileRendererOptions extends Pick<Renderer, "ingest"> {
  readonly index: Pick<GatheringIndex, "problem">;
  readonly disk: RecordDisk;
  readonly heldBack: HeldBack;
  readonly links: Links;
  readonly log: Logger;
  readonly reportFault: (path: string, target: string, reason: string | undefined) => void;
}

/** Writes the file of a record whose folder is chosen, unless it was edited: see `Renderer`. */
export function createFileRenderer(
  options: FileRendererOptions,
): (job: FileJob) => Promise<FileOutcome> {
  const { index, disk, heldBack, links, log, ingest, reportFault } = options;

  const renderFile = async (job: FileJob): Promise<FileOutcome> => {
    const { layout, view, folder, how, ingested } = job;
    const { target } = view;
    const path = `${folder}/${recordFile}`;
    const seen = how.clean?.get(path);
    if (seen !== undefined && !ingested) {
      const composed = compose({ layout, view, parsed: undefined });
      // The text is the same, so the file is not written; an edit since then is found at the next
      // read.
      if (revIn(composed.text) === seen) {
        const side = readSide(folder);
        const newSide = addRender(side, { ...composed, rev: seen, ...fieldsOf(view) }, seen);
        if (hasFault({ target, folder, bytes: undefined })) return { kind: "broken" };
        if (newSide !== side) await disk.overwrite(`${folder}/${sideFile}`, newSide, how);
        return { kind: "done", rev: seen, isNew: false };
      }
    }
    const isNew = !disk.has(folder);
    const bytes = isNew ? undefined : disk.read(path);
    if (!isNew && hasFault({ target, folder, bytes })) return { kind: "broken" };
    const isOurs = bytes === undefined || isEmpty(bytes) || isClean(bytes);
    if (isOurs) index.problem(path, undefined);
    const isIngested =
      bytes !== undefined && ingested !== undefined && isEqual(ingested.bytes, bytes);
    if (!isOurs && !isIngested) {
      const found = await ingest({ layout, holder: target, from: path, bytes });
      if (found?.kind !== "ingested") return { kind: "broken" };
      const { parsed, ...edit } = found;
      // The format of another record's text does not apply to this one.
      const shape = edit.target === target ? parsed : undefined;
      return { kind: "ingested", ingested: { bytes, parsed: shape }, edit };
    }
    const side = isNew ? undefined : readSide(folder);
    const before = isOurs ? textOf(bytes) : undefined;
    const parsed = isIngested ? ingested.parsed : handmade(layout, before, side);
    const composed = compose({ layout, view, parsed });
    const { text } = composed;
    const rev = revIn(text)!;
    const inPlace = bytes && revIn(textOf(bytes));
    const newSide = addRender(side, { ...composed, rev, ...fieldsOf(view) }, inPlace);
    const texts = [...(newSide === side ? [] : [newSide]), ...(text === before ? [] : [text])];
    const ready = [...(await disk.prepareAll(texts, how))];
    if (newSide !== side) ready.shift()!.replace(`${folder}/${sideFile}`);
    const isPlaced = text === before || putInPlace({ path, bytes, file: ready.shift()! });
    return isPlaced ? { kind: "done", rev, isNew } : { kind: "again" };
  };

  /** True if a link, a pipe or the like is in the place of one of its two files. */
  const hasFault = (job: {
    readonly target: string;
    readonly folder: string;
    readonly bytes: Uint8Array | undefined;
  }): boolean => {
    const names = [...(job.bytes ? [] : [recordFile]), sideFile];
    for (const path of names.map((name) => `${job.folder}/${name}`)) {
      const fault = disk.fault(path);
      if (fault) reportFault(path, job.target, fault.reason);
      if (fault) return true;
    }
    return false;
  };
  const fieldsOf = (view: TargetView) => ({
    fields: view.fields,
    isErased: view.erased && ((line: Pick<FieldView, "field" | "stamp">) => wasErased(view, line)),
  });
  const readSide = (folder: string) => textOf(disk.read(`${folder}/${sideFile}`));
  /** A file that a user has formatted is patched from then on. */
  const handmade = (layout: RecordLayout, text: string | undefined, side: string | undefined) =>
    text && findBase(side, revIn(text) ?? "")?.isHandmade
      ? parsePage(layout, Buffer.from(text))
      : undefined;

  interface Composed {
    readonly text: string;
    readonly shown: Facts;
    readonly isHandmade: boolean;
  }

  const compose = (job: {
    readonly layout: RecordLayout;
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
    log.warn("a file could not be patched and was rewritten", { target: view.target });
    return { text, shown, isHandmade: false };
  };

  /** False: a user saved another file meanwhile, or wrote to this one. */
  const putInPlace = (job: {
    readonly path: string;
    readonly bytes: Uint8Array | undefined;
    readonly file: PreparedFile;
  }): boolean => {
    const { path, bytes, file } = job;
    // No await up to the end of this function: for an editor the file is never missing.
    const held = bytes && heldBack.hold(path);
    if (held && !isEqual(held.bytes, bytes)) {
      // It was saved after we read it: move it back, and ingest it first.
      heldBack.putBack(held);
      file.discard();
      return false;
    }
    const outcome = file.place(path, { isAgain: bytes !== undefined, former: held?.name });
    if (held) dismiss(held);
    return outcome === "placed";
  };
  const dismiss = (held: HeldFile) => {
    if (isClean(held.bytes) || isEmpty(held.bytes)) heldBack.release(held);
    else heldBack.keep(held);
  };

  return renderFile;
}

const isSameFacts = (a: Facts, b: Facts): boolean =>
  a.size === b.size &&
  [...a].every(([field, value]) => b.has(field) && tokenOf(value) === tokenOf(b.get(field)));
