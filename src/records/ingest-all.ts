import { afterTick } from "../base/tick.ts";
import type { Desk } from "./desk.ts";
import { idOf } from "./company.ts";
import { createPlanner } from "./create.ts";
import { aliasPrefix } from "./fields.ts";
import { catchUp } from "./follow-ledger.ts";
import { folderOf } from "./folders.ts";
import {
  foldersToLookAt,
  lookAtFolder,
  pathOf,
  type FolderFound,
  type FolderPlace,
} from "./ingest.ts";
import { layouts } from "./layout.ts";
import { personTarget } from "./person.ts";
import type { RecordDisk } from "./record-disk.ts";
import type { Edit } from "./render.ts";
import type { Ingested, IngestOptions } from "./records.ts";
import { createId } from "../base/ids.ts";
import { randomLength } from "./identity.ts";
import { sideFile } from "./side-file.ts";

/** Of folders that are looked at before others get their turn. */
const sliceSize = 100;

export interface IngestFoldersOptions extends IngestOptions {
  /** A file is as we wrote it last. */
  readonly onClean?: (path: string, rev: string) => void;
}

/** Takes in what hands changed in files. Only in turn. */
export async function ingestFolders(
  desk: Desk,
  { only, onProgress = () => {}, onClean }: IngestFoldersOptions = {},
): Promise<Ingested> {
  const { disk, index } = desk;
  const edits: Edit[] = [];
  const paths = new Set<string>();
  let files = 0;
  if (!only) await desk.settle();
  for (const place of foldersToLookAt(disk, only)) {
    files += 1;
    paths.add(folderOf(place.layout.kind, place.name));
    edits.push(...(await ingestOne(desk, place, onClean)));
    if (files % sliceSize !== 0) continue;
    await desk.conclude();
    onProgress({ step: "edits", done: files, total: undefined });
    await new Promise<void>(afterTick);
    await desk.pause();
  }
  if (!only) await writeMissing(desk, paths);
  for (const { path } of index.problems()) {
    if (isOver(disk, path)) desk.tell(path, undefined, undefined);
  }
  await desk.conclude();
  const problems = index
    .problems()
    .filter(({ path }) => !only || paths.has(path.split("/").slice(0, 2).join("/")));
  return { files, edited: merged(edits), problems };
}

/** Whether a problem has gone with what caused it. Pages and notes are judged when they are read. */
function isOver(disk: RecordDisk, path: string): boolean {
  const isPage = path.endsWith(".md");
  const isFile = isPage || path.endsWith(`/${sideFile}`);
  if (isFile ? disk.fault(path) : disk.folderFault(path)) return false;
  return !isPage || !disk.has(path);
}

/** A folder that someone removed is no removed record. */
async function writeMissing(desk: Desk, there: ReadonlySet<string>): Promise<void> {
  for (const { kind } of layouts) {
    let after: string | undefined;
    for (;;) {
      const targets = desk.stored.targets({ kind, limit: 1_000, ...(after && { after }) });
      const missing = targets.filter((target) => {
        const folder = desk.index.render(target)?.folder;
        return folder !== undefined && !there.has(folder) && !desk.disk.has(folder);
      });
      await desk.renderMany(missing, { isHasty: missing.length > 1 });
      after = targets.at(-1);
      if (after === undefined) break;
    }
  }
}

async function ingestOne(
  desk: Desk,
  place: FolderPlace,
  onClean: IngestFoldersOptions["onClean"],
): Promise<readonly Edit[]> {
  const found = lookAtFolder(desk.disk, desk.index, place);
  const path = pathOf(place);
  if (found.kind === "broken") {
    desk.tell(path, found.target, found.reason);
    return [];
  }
  if (found.kind === "clean") {
    desk.tell(path, undefined, undefined);
    return [];
  }
  if (found.kind === "new") return makeNew(desk, place, found);
  if (found.kind === "left") return takeLeft(desk, place, found.target);
  if (found.kind === "renamed") await takeRename(desk, place, found);
  const { target } = found;
  const cleanRev = found.kind === "record" ? found.cleanRev : undefined;
  const isHere = cleanRev !== undefined;
  const folder = isHere
    ? folderOf(place.layout.kind, place.name)
    : desk.index.render(target)!.folder;
  const fields = await desk.entryTaker.takeIn({ target, folder });
  // A file that was put back as it was has missed what came while it was broken.
  if (isHere && fields.length === 0 && !desk.index.problems().some((one) => one.path === path)) {
    onClean?.(path, cleanRev);
    return [];
  }
  const edits = await desk.renderMany([target]);
  return fields.length > 0 ? [{ target, fields }, ...edits] : edits;
}

/** A record's text in the folder it had before: an edit like any other, and then a redirect again. */
async function takeLeft(desk: Desk, place: FolderPlace, target: string): Promise<readonly Edit[]> {
  const { aside, renderer } = desk;
  const copy = aside.take(pathOf(place));
  if (!copy) return [];
  const { from, bytes } = copy;
  const taken = await renderer.takeIn({ layout: place.layout, holder: target, from, bytes });
  if (taken?.kind !== "taken") {
    aside.putBack(copy);
    return [];
  }
  aside.keep(copy);
  return [{ target, fields: taken.fields }, ...(await desk.renderMany([target]))];
}

/** A folder under another name is a record under another name; the old one leads on. */
async function takeRename(
  desk: Desk,
  { layout, name }: FolderPlace,
  { target, slug }: FolderFound & { readonly kind: "renamed" },
): Promise<void> {
  const mark = desk.index.render(target)!;
  const old = mark.folder.slice(layout.folder.length + 1);
  await desk.ledgerOfFiles.write({
    source: desk.source,
    changes: [
      { target, field: "slug", value: slug },
      { target, field: `${aliasPrefix}${old}`, value: true },
    ],
  });
  desk.index.mark({ ...mark, folder: folderOf(layout.kind, name) });
}

async function makeNew(
  desk: Desk,
  { layout, name }: FolderPlace,
  { slug, facts, bytes, parsed }: FolderFound & { readonly kind: "new" },
): Promise<readonly Edit[]> {
  const { source, disk, random } = desk;
  const path = pathOf({ layout, name });
  const fields = Object.fromEntries(facts);
  const planner = createPlanner({ ledger: desk.ledger, index: desk.stored, random });
  let target = personTarget(createId(random, randomLength));
  if (layout.kind === "company") {
    // Another process may just have written of one with that domain or place.
    await catchUp(desk, { isUnbroken: true });
    const plan = await planner.plan({ source, fields });
    if (plan.outcome !== "created") {
      desk.tell(path, undefined, whyNot(plan.outcome, idOf(plan.target)));
      return [];
    }
    ({ target } = plan);
  }
  const changes = [...facts, ["slug", slug] as const].map(([field, value]) => {
    return { target, field, value };
  });
  await desk.ledgerOfFiles.write({ source, changes });
  if (slug !== name) disk.move(folderOf(layout.kind, name), folderOf(layout.kind, slug));
  desk.tell(path, target, undefined);
  await desk.renderMany([target], { takenIn: { bytes, parsed } });
  const folder = desk.index.render(target)?.folder;
  const entries = folder ? await desk.entryTaker.takeIn({ target, folder }) : [];
  if (entries.length > 0) await desk.renderMany([target]);
  return [{ target, fields: [...facts.keys(), ...entries] }];
}

const whyNot = (outcome: "known" | "forgotten", id: string): string =>
  outcome === "known"
    ? `a company of that domain or place is there already (${id}): copy your text into its file`
    : `it was forgotten for good: remove this folder, or \`forager ledger unforget\` it`;

/** One line for each record. */
function merged(edits: readonly Edit[]): readonly Edit[] {
  const byTarget = new Map<string, readonly string[]>();
  for (const { target, fields } of edits) {
    byTarget.set(target, [...(byTarget.get(target) ?? []), ...fields]);
  }
  return [...byTarget].map(([target, fields]) => ({ target, fields }));
}
