import type { RecordsContext } from "../context.ts";
import { idOf } from "../fields/company.ts";
import { createPlanner } from "../change/create.ts";
import { declareHashedIds } from "../change/id-form.ts";
import { aliasPrefix } from "../fields/fields.ts";
import { catchUp } from "../follow/follow-ledger.ts";
import { folderOf } from "../files/folders.ts";
import {
  foldersToLookAt,
  lookAtFolder,
  pathOf,
  type FolderFound,
  type FolderPlace,
} from "../files/inspect-folder.ts";
import { tidyFacts } from "./hand-edit.ts";
import { layouts } from "../files/layout.ts";
import { personTarget } from "../fields/person.ts";
import type { RecordDisk } from "../files/record-disk.ts";
import type { RecordEdit } from "../render/render.ts";
import type { Ingested, IngestOptions } from "../records.ts";
import { createId } from "../../base/ids.ts";
import { randomLength } from "../fields/identity.ts";
import { sideFile } from "../page/side-file.ts";

/** The number of folders read before other work may run. */
const sliceSize = 100;

export interface IngestFoldersOptions extends IngestOptions {
  /** Called for a file that is the last render. */
  readonly onClean?: (path: string, rev: string) => void;
}

/** Turns hand edits of files into facts. Only within `run`. */
export async function ingestFolders(
  context: RecordsContext,
  { only, onProgress = () => {}, onClean, signal }: IngestFoldersOptions = {},
): Promise<Ingested> {
  const { disk, index } = context;
  const edits: RecordEdit[] = [];
  const paths = new Set<string>();
  let files = 0;
  if (!only) await context.reviewHeld();
  for (const place of foldersToLookAt(disk, only)) {
    files += 1;
    paths.add(folderOf(place.layout.kind, place.name));
    edits.push(...(await ingestOne(context, place, onClean)));
    if (files % sliceSize !== 0) continue;
    await context.conclude();
    onProgress({ step: "edits", done: files, total: undefined });
    await context.pause({ signal });
  }
  if (!only) await writeMissing(context, paths, signal);
  for (const { path } of index.problems()) {
    if (isOver(disk, path)) context.reportFault(path, undefined, undefined);
  }
  await context.conclude();
  const problems = index
    .problems()
    .filter(({ path }) => !only || paths.has(path.split("/").slice(0, 2).join("/")));
  return { files, edited: merged(edits), problems };
}

/** True if the cause of a problem is gone. Pages and notes are checked when they are read. */
function isOver(disk: RecordDisk, path: string): boolean {
  const isPage = path.endsWith(".md");
  const isFile = isPage || path.endsWith(`/${sideFile}`);
  if (isFile ? disk.fault(path) : disk.folderFault(path)) return false;
  return !isPage || !disk.has(path);
}

/** Renders records whose folder a user removed: that does not delete the record. */
async function writeMissing(
  context: RecordsContext,
  there: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { kind } of layouts) {
    let after: string | undefined;
    for (;;) {
      const targets = context.stored.targets({ kind, limit: 1_000, ...(after && { after }) });
      const missing = targets.filter((target) => {
        const folder = context.index.render(target)?.folder;
        return folder !== undefined && !there.has(folder) && !context.disk.has(folder);
      });
      await context.renderMany(missing, { isHasty: missing.length > 1 });
      await context.conclude();
      await context.pause({ signal });
      after = targets.at(-1);
      if (after === undefined) break;
    }
  }
}

async function ingestOne(
  context: RecordsContext,
  place: FolderPlace,
  onClean: IngestFoldersOptions["onClean"],
): Promise<readonly RecordEdit[]> {
  const found = lookAtFolder(context.disk, context.index, place);
  const path = pathOf(place);
  if (found.kind === "broken") {
    context.reportFault(path, found.target, found.reason);
    return [];
  }
  if (found.kind === "clean") {
    context.reportFault(path, undefined, undefined);
    return [];
  }
  if (found.kind === "new") return makeNew(context, place, found);
  if (found.kind === "left") return ingestLeft(context, place, found.target);
  if (found.kind === "leftover") return removeLeftover(context, place, found.target);
  if (found.kind === "renamed") await ingestRename(context, place, found);
  const { target } = found;
  if (found.kind === "record") markFolder(context, place, target);
  const cleanRev = found.kind === "record" ? found.cleanRev : undefined;
  const isHere = cleanRev !== undefined;
  const folder = isHere
    ? folderOf(place.layout.kind, place.name)
    : context.index.render(target)!.folder;
  const fields = await context.entryIngester.ingest({ target, folder });
  // A file that was repaired by restoring its old text has missed the changes since.
  if (isHere && fields.length === 0 && !context.index.problems().some((one) => one.path === path)) {
    onClean?.(path, cleanRev);
    return [];
  }
  const edits = await context.renderMany([target]);
  return fields.length > 0 ? [{ target, fields }, ...edits] : edits;
}

/**
 * The text of a record, saved in its former folder: ingests it, then renders the redirect again.
 */
async function ingestLeft(
  context: RecordsContext,
  place: FolderPlace,
  target: string,
): Promise<readonly RecordEdit[]> {
  const { heldBack, renderer } = context;
  const copy = heldBack.hold(pathOf(place));
  if (!copy) return [];
  const { from, bytes } = copy;
  const found = await renderer.ingest({ layout: place.layout, holder: target, from, bytes });
  if (found?.kind !== "ingested") {
    heldBack.putBack(copy);
    return [];
  }
  heldBack.keep(copy);
  return [{ target, fields: found.fields }, ...(await context.renderMany([target]))];
}

/**
 * Everything in it is in the ledger and in the record's own folder. A redirect may belong in its
 * place.
 */
async function removeLeftover(
  context: RecordsContext,
  place: FolderPlace,
  target: string,
): Promise<readonly RecordEdit[]> {
  context.renderer.removeOwn(folderOf(place.layout.kind, place.name));
  context.reportFault(pathOf(place), undefined, undefined);
  return context.renderMany([target]);
}

/** A mark from before the record got this folder names another folder. */
function markFolder({ index }: RecordsContext, { layout, name }: FolderPlace, target: string) {
  const mark = index.render(target);
  const folder = folderOf(layout.kind, name);
  if (mark && mark.folder !== folder) index.mark({ ...mark, folder });
}

/** A renamed folder renames its record; the old folder becomes an alias. */
async function ingestRename(
  context: RecordsContext,
  { layout, name }: FolderPlace,
  { target, slug }: FolderFound & { readonly kind: "renamed" },
): Promise<void> {
  const mark = context.index.render(target)!;
  const old = mark.folder.slice(layout.folder.length + 1);
  await context.ledgerOfFiles.write({
    source: context.source,
    changes: [
      { target, field: "slug", value: slug },
      { target, field: `${aliasPrefix}${old}`, value: true },
    ],
  });
  context.index.mark({ ...mark, folder: folderOf(layout.kind, name) });
}

async function makeNew(
  context: RecordsContext,
  { layout, name }: FolderPlace,
  { slug, facts: written, bytes, parsed }: FolderFound & { readonly kind: "new" },
): Promise<readonly RecordEdit[]> {
  const facts = tidyFacts(written);
  const { source, disk, random } = context;
  const path = pathOf({ layout, name });
  const fields = Object.fromEntries(facts);
  const planner = createPlanner({ ledger: context.ledger, index: context.stored, random });
  let target = personTarget(createId(random, randomLength));
  if (layout.kind === "company") {
    // Another node may have written about a company with this domain or place.
    await catchUp(context, { isUnbroken: true });
    const plan = await planner.plan({ source, fields });
    if (plan.outcome !== "created") {
      context.reportFault(path, undefined, whyNot(plan.outcome, idOf(plan.target)));
      return [];
    }
    ({ target } = plan);
    await declareHashedIds(context);
  }
  const changes = [...facts, ["slug", slug] as const].map(([field, value]) => {
    return { target, field, value };
  });
  await context.ledgerOfFiles.write({ source, changes });
  if (slug !== name) disk.move(folderOf(layout.kind, name), folderOf(layout.kind, slug));
  context.reportFault(path, target, undefined);
  await context.renderMany([target], { ingested: { bytes, parsed } });
  const folder = context.index.render(target)?.folder;
  const entries = folder ? await context.entryIngester.ingest({ target, folder }) : [];
  if (entries.length > 0) await context.renderMany([target]);
  return [{ target, fields: [...facts.keys(), ...entries] }];
}

const whyNot = (outcome: "known" | "suppressed", id: string): string =>
  outcome === "known"
    ? `a company of that domain or place is already there (${id}): copy your text into its file`
    : `it is suppressed: remove this folder, or allow it again with \`forager suppress remove VALUE\` (its domain or place), or with \`forager company forget ${id} --undo\` if it was forgotten`;

/** One line per record. */
function merged(edits: readonly RecordEdit[]): readonly RecordEdit[] {
  const byTarget = new Map<string, readonly string[]>();
  for (const { target, fields } of edits) {
    byTarget.set(target, [...(byTarget.get(target) ?? []), ...fields]);
  }
  return [...byTarget].map(([target, fields]) => ({ target, fields }));
}
