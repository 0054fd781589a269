import type { RecordsContext } from "../context.ts";
import { forgetRegister, type Change } from "../../ledger/index.ts";
import { companyTarget, elementsOf, idOf } from "../fields/company.ts";
import { companyPrefix, personPrefix } from "../fields/fields.ts";
import { personTarget } from "../fields/person.ts";
import { distinctPrefix } from "../fields/places.ts";
import { folderOf } from "../files/folders.ts";
import { isClean, textOf } from "../page/front-matter.ts";
import { recordOf } from "../search/gathering-index.ts";
import { foldersToLookAt } from "../files/inspect-folder.ts";
import { layoutOfTarget, layouts, recordFile } from "../files/layout.ts";
import { targetsOf } from "./record-history.ts";
import type { Forgotten, Remains } from "../records.ts";
import { yamlLines } from "../page/yaml-text.ts";
import type { HeldFile } from "../files/held-back.ts";
import { createQuarantine, type QuarantineEntry } from "../integrity/quarantine.ts";

/**
 * Forgets the facts in the ledger first. If the process stops before the files are removed, the
 * next `catchUp` sees that the record was forgotten and removes them. A repeated call does the
 * remaining work.
 */
export async function forgetRecord(
  context: RecordsContext,
  { target, source }: { readonly target: string; readonly source: string },
): Promise<Forgotten> {
  const { ledger, index, heldBack } = context;
  const targets = targetsOf(await ledger.read(target));
  const related = await unlink(context, { targets, source });
  let scrubbed = 0;
  // Forget the records that were merged into this one first. Only this record lists them, so they
  // could not be found after it was forgotten.
  for (const one of [...targets].reverse())
    scrubbed += await ledger.forget({ target: one, source });
  await context.run(async () => {
    const folders = [...targets].flatMap((one) => foldersOf(context, one));
    for (const one of targets) {
      const indexed = index.find(one);
      if (indexed) context.redirects.removeAll(indexed);
    }
    for (const folder of folders) context.renderer.removeAll(folder);
    await context.renderMany([...targets, ...related]);
    for (const { path } of index.problems()) {
      if (folders.some((folder) => path.startsWith(`${folder}/`))) index.problem(path, undefined);
    }
    const linking = new Set(related.map((one) => `${index.render(one)?.folder}/${recordFile}`));
    heldBack.forget((copy) => linking.has(copy.from) && isClean(copy.bytes));
    removeCopies(context, targets, folders);
    await context.conclude();
    context.stored.scrub();
  });
  return { target, scrubbed, ...(await remainsOf(context, target)) };
}

/**
 * Removes the links from other records to these records: a link contains the id, and its target no
 * longer exists. Returns the records whose files change.
 */
async function unlink(
  { ledger, index, stored }: RecordsContext,
  { targets, source }: { readonly targets: ReadonlySet<string>; readonly source: string },
): Promise<readonly string[]> {
  const others = new Set<string>();
  for (const target of targets) {
    const { fields } = await ledger.read(target);
    for (const id of elementsOf(fields, personPrefix)) others.add(personTarget(id));
    for (const id of elementsOf(fields, companyPrefix)) others.add(companyTarget(id));
    for (const id of elementsOf(fields, distinctPrefix)) others.add(companyTarget(id));
    if (layoutOfTarget(target)?.kind === "person")
      for (const one of index.byPerson(idOf(target))) others.add(one);
    else for (const one of peopleOf(stored, idOf(target))) others.add(one);
  }
  const fieldsOfLinks = new Set(
    [...targets].flatMap((target) => [target, `${distinctPrefix}${idOf(target)}`]),
  );
  const changes: Change[] = [];
  for (const target of others) {
    if (targets.has(target)) continue;
    const { fields } = await ledger.read(target);
    for (const { field } of fields)
      if (fieldsOfLinks.has(field)) changes.push({ target, field, unset: true });
  }
  for (let at = 0; at < changes.length; at += commitSize)
    await ledger.write({ source, changes: changes.slice(at, at + commitSize) });
  return [...new Set(changes.map(({ target }) => target))];
}

/** People whose own records list this company. The company's list may lack some of them. */
function peopleOf(index: RecordsContext["stored"], companyId: string): readonly string[] {
  const found: string[] = [];
  for (let after: string | undefined; ;) {
    const page = index.targets({
      kind: "person",
      ...(after !== undefined && { after }),
      limit: pageSize,
    });
    for (const target of page) {
      const indexed = index.find(target);
      const isOf =
        indexed?.kind === "person" && indexed.person.companies.some(({ id }) => id === companyId);
      if (isOf) found.push(target);
    }
    if (page.length < pageSize) return found;
    after = page.at(-1);
  }
}

const pageSize = 1_000;
/** Changes in one commit; far below the ledger's limit, `commitFieldsMax`. */
const commitSize = 500;

/**
 * Removes held-back files that contain data that was forgotten on another node: files of the
 * forgotten records, and renders of other records that link to a record that does not exist.
 */
export async function removeForgottenCopies(context: RecordsContext): Promise<void> {
  const { ledger, heldBack, stored } = context;
  const { fields } = await ledger.read(forgetRegister);
  removeCopies(context, new Set(elementsOf(fields, "target/")), []);
  const leadsNowhere = (text: string) =>
    layouts.some(({ kind, folder }) =>
      [...text.matchAll(new RegExp(`\\[\\[${folder}/([^/\\]|]+)/`, "gu"))].some(
        ([, slug = ""]) => stored.bySlug(kind, slug) === undefined,
      ),
    );
  heldBack.forget(({ bytes }) => isClean(bytes) && leadsNowhere(textOf(bytes)));
}

/** Removes copies of the files of these records. */
export function removeCopies(
  context: RecordsContext,
  targets: ReadonlySet<string>,
  folders: readonly string[],
): void {
  context.heldBack.forget((copy) => isCopyOf(copy, targets, folders));
  for (const one of quarantined(context, targets, folders)) quarantineOf(context).remove(one);
}

function foldersOf({ index }: RecordsContext, target: string): readonly string[] {
  const mark = index.render(target);
  const indexed = index.find(target);
  const aliases = indexed ? recordOf(indexed).aliases : [];
  const { kind } = layoutOfTarget(target)!;
  return [...(mark ? [mark.folder] : []), ...aliases.map((slug) => folderOf(kind, slug))];
}

/** Counts what is left. Reads the file of every record, so that none is missed; rarely called. */
export async function remainsOf(context: RecordsContext, target: string): Promise<Remains> {
  const { disk, heldBack, ledger, index } = context;
  const layout = layoutOfTarget(target);
  const line = idLine(target);
  let files = 0;
  for (const place of foldersToLookAt(disk, undefined)) {
    if (place.layout !== layout) continue;
    const bytes = disk.read(`${layout.folder}/${place.name}/${recordFile}`);
    if (bytes && hasLine(bytes, line)) files += 1;
  }
  const folders = index.render(target) ? [index.render(target)!.folder] : [];
  const targets = new Set([target]);
  const copies =
    heldBack.count((copy) => isCopyOf(copy, targets, folders)) +
    quarantined(context, targets, folders).length;
  return { files, aside: copies, datagrams: await ledger.unscrubbed() };
}

const quarantineOf = ({ disk, clock, random }: RecordsContext) =>
  createQuarantine({ disk, clock, random });

/** Files and values of these records that a repair has moved to quarantine. */
function quarantined(
  context: RecordsContext,
  targets: ReadonlySet<string>,
  folders: readonly string[],
): readonly QuarantineEntry[] {
  const quarantine = quarantineOf(context);
  return quarantine.list().filter((entry) => {
    const bytes = Buffer.from(quarantine.textOf(entry) ?? "");
    const copy = { from: entry.path, name: "", bytes };
    return targets.has(entry.target ?? "") || isCopyOf(copy, targets, folders);
  });
}

const idLine = (target: string) => yamlLines("id", idOf(target)).trimEnd();

const hasLine = (bytes: Uint8Array, line: string): boolean => idLinesIn(bytes).includes(line);

const idLinesIn = (bytes: Uint8Array): readonly string[] =>
  textOf(bytes)
    .split(/\r?\n/)
    .filter((line) => line.startsWith("id:"));

const isCopyOf = (
  { from, bytes }: HeldFile,
  targets: ReadonlySet<string>,
  folders: readonly string[],
): boolean =>
  folders.some((folder) => from.startsWith(`${folder}/`)) ||
  idLinesIn(bytes).some((line) => [...targets].some((target) => line === idLine(target)));
