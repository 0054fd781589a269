import { afterTick } from "../base/tick.ts";
import type { Bench, Edit } from "./bench.ts";
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
import type { Ingested, IngestOptions } from "./records.ts";
import { createId } from "../base/ids.ts";
import { randomLength } from "./identity.ts";

/** Of folders that are looked at before others get their turn. */
const sliceSize = 100;

/** Takes in what hands changed in files. Only in turn. */
export async function ingestFolders(
  bench: Bench,
  { only, onProgress = () => {} }: IngestOptions = {},
): Promise<Ingested> {
  const { disk, index } = bench;
  const edits: Edit[] = [];
  const paths = new Set<string>();
  let files = 0;
  if (!only) await bench.settle();
  for (const place of foldersToLookAt(disk, only)) {
    files += 1;
    paths.add(folderOf(place.layout.kind, place.name));
    edits.push(...(await ingestOne(bench, place)));
    if (files % sliceSize !== 0) continue;
    await bench.conclude();
    onProgress({ step: "edits", done: files, total: undefined });
    await new Promise<void>(afterTick);
    await bench.pause();
  }
  if (!only) await writeMissing(bench, paths);
  for (const { path } of index.problems()) {
    if (!disk.has(path)) bench.tell(path, undefined, undefined);
  }
  await bench.conclude();
  const problems = index
    .problems()
    .filter(({ path }) => !only || paths.has(path.split("/").slice(0, 2).join("/")));
  return { files, edited: merged(edits), problems };
}

/** A folder that someone removed is no removed record. */
async function writeMissing(bench: Bench, there: ReadonlySet<string>): Promise<void> {
  for (const { kind } of layouts) {
    let after: string | undefined;
    for (;;) {
      const targets = bench.stored.targets({ kind, limit: 1_000, ...(after && { after }) });
      const missing = targets.filter((target) => {
        const folder = bench.index.render(target)?.folder;
        return folder !== undefined && !there.has(folder) && !bench.disk.has(folder);
      });
      await bench.renderMany(missing, { isHasty: missing.length > 1 });
      after = targets.at(-1);
      if (after === undefined) break;
    }
  }
}

async function ingestOne(bench: Bench, place: FolderPlace): Promise<readonly Edit[]> {
  const found = lookAtFolder(bench.disk, bench.index, place);
  const path = pathOf(place);
  if (found.kind === "broken") {
    bench.tell(path, found.target, found.reason);
    return [];
  }
  if (found.kind === "clean") {
    bench.tell(path, undefined, undefined);
    return [];
  }
  if (found.kind === "new") return makeNew(bench, place, found);
  if (found.kind === "renamed") await takeRename(bench, place, found);
  const { target } = found;
  const folder = bench.index.render(target)!.folder;
  const fields = await bench.entryTaker.takeIn({ target, folder });
  const isAsWritten = fields.length === 0 && found.kind === "record" && found.isClean;
  // A file that was put back as it was has missed what came while it was broken.
  if (isAsWritten && !bench.index.problems().some((one) => one.path === path)) return [];
  const edits = await bench.renderMany([target]);
  return fields.length > 0 ? [{ target, fields }, ...edits] : edits;
}

/** A folder under another name is a record under another name; the old one leads on. */
async function takeRename(
  bench: Bench,
  { layout, name }: FolderPlace,
  { target, slug }: FolderFound & { readonly kind: "renamed" },
): Promise<void> {
  const mark = bench.index.render(target)!;
  const old = mark.folder.slice(layout.folder.length + 1);
  await bench.ledgerOfFiles.write({
    source: bench.source,
    changes: [
      { target, field: "slug", value: slug },
      { target, field: `${aliasPrefix}${old}`, value: true },
    ],
  });
  bench.index.mark({ ...mark, folder: folderOf(layout.kind, name) });
}

async function makeNew(
  bench: Bench,
  { layout, name }: FolderPlace,
  { slug, facts, bytes, parsed }: FolderFound & { readonly kind: "new" },
): Promise<readonly Edit[]> {
  const { source, disk, random } = bench;
  const path = pathOf({ layout, name });
  const fields = Object.fromEntries(facts);
  const planner = createPlanner({ ledger: bench.ledger, index: bench.stored, random });
  let target = personTarget(createId(random, randomLength));
  if (layout.kind === "company") {
    // Another process may just have written of one with that domain or place.
    await catchUp(bench, { isUnbroken: true });
    const plan = await planner.plan({ source, fields });
    if (plan.outcome !== "created") {
      bench.tell(path, undefined, whyNot(plan.outcome, idOf(plan.target)));
      return [];
    }
    ({ target } = plan);
  }
  const changes = [...facts, ["slug", slug] as const].map(([field, value]) => {
    return { target, field, value };
  });
  await bench.ledgerOfFiles.write({ source, changes });
  if (slug !== name) disk.move(folderOf(layout.kind, name), folderOf(layout.kind, slug));
  bench.tell(path, target, undefined);
  await bench.renderMany([target], { takenIn: { bytes, parsed } });
  const folder = bench.index.render(target)?.folder;
  const entries = folder ? await bench.entryTaker.takeIn({ target, folder }) : [];
  if (entries.length > 0) await bench.renderMany([target]);
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
