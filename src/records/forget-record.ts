import type { Desk } from "./desk.ts";
import { idOf } from "./company.ts";
import { entryFolders } from "./entry-files.ts";
import { folderOf } from "./folders.ts";
import { textOf } from "./front-matter.ts";
import { recordOf } from "./gathering-index.ts";
import { foldersToLookAt } from "./ingest.ts";
import { layoutOfTarget, recordFile } from "./layout.ts";
import { targetsOf } from "./record-history.ts";
import type { Forgotten, Remains } from "./records.ts";
import { sideFile } from "./side-file.ts";
import { yamlLines } from "./yaml-text.ts";
import type { Taken } from "./aside.ts";

/** Facts first: if the rest is cut short, catching up sees a forgotten record and goes on. */
export async function forgetRecord(
  desk: Desk,
  { target, source }: { readonly target: string; readonly source: string },
): Promise<Forgotten> {
  const { ledger, index, aside } = desk;
  const targets = targetsOf(await ledger.read(target));
  let scrubbed = 0;
  for (const one of targets) scrubbed += await ledger.forget({ target: one, source });
  await desk.inTurn(async () => {
    const folders = [...targets].flatMap((one) => foldersOf(desk, one));
    for (const one of targets) {
      const indexed = index.find(one);
      if (indexed) desk.redirects.removeAll(indexed);
    }
    for (const folder of folders) removeAll(desk, folder);
    await desk.renderMany(targets);
    for (const { path } of index.problems()) {
      if (folders.some((folder) => path.startsWith(`${folder}/`))) index.problem(path, undefined);
    }
    aside.forget((copy) => isCopyOf(copy, targets, folders));
    await desk.conclude();
    desk.stored.scrub();
  });
  return { target, scrubbed, ...(await remainsOf(desk, target)) };
}

function foldersOf({ index }: Desk, target: string): readonly string[] {
  const mark = index.render(target);
  const indexed = index.find(target);
  const aliases = indexed ? recordOf(indexed).aliases : [];
  const { kind } = layoutOfTarget(target)!;
  return [...(mark ? [mark.folder] : []), ...aliases.map((slug) => folderOf(kind, slug))];
}

/** Notes that someone wrote beside it tell of it too. What is of another kind is not ours. */
function removeAll({ disk }: Desk, folder: string): void {
  for (const place of Object.values(entryFolders)) {
    for (const file of disk.list(`${folder}/${place}`)) {
      if (file.endsWith(".md")) disk.remove(`${folder}/${place}/${file}`);
    }
    disk.removeFolder(`${folder}/${place}`);
  }
  disk.remove(`${folder}/${recordFile}`);
  disk.remove(`${folder}/${sideFile}`);
  disk.removeFolder(folder);
}

/** Looks through all files: nobody asks often, and who asks wants to be sure. */
export async function remainsOf(desk: Desk, target: string): Promise<Remains> {
  const { disk, aside, ledger, index } = desk;
  const layout = layoutOfTarget(target);
  const line = idLine(target);
  let files = 0;
  for (const place of foldersToLookAt(disk, undefined)) {
    if (place.layout !== layout) continue;
    const bytes = disk.read(`${layout.folder}/${place.name}/${recordFile}`);
    if (bytes && hasLine(bytes, line)) files += 1;
  }
  const folders = index.render(target) ? [index.render(target)!.folder] : [];
  const copies = aside.count((copy) => isCopyOf(copy, new Set([target]), folders));
  return { files, aside: copies, datagrams: await ledger.unscrubbed() };
}

const idLine = (target: string) => yamlLines("id", idOf(target)).trimEnd();

const hasLine = (bytes: Uint8Array, line: string): boolean =>
  textOf(bytes).split(/\r?\n/).includes(line);

const isCopyOf = (
  { from, bytes }: Taken,
  targets: ReadonlySet<string>,
  folders: readonly string[],
): boolean =>
  folders.some((folder) => from.startsWith(`${folder}/`)) ||
  [...targets].some((target) => hasLine(bytes, idLine(target)));
