import { addEntry, renameRecord } from "./change/change-record.ts";
import type { Company } from "./fields/company.ts";
import { createRecordsContext, type RecordsContext } from "./context.ts";
import { createAll, createPerson, writeAll } from "./create-records.ts";
import { findDuplicates } from "./fields/duplicates.ts";
import { followLedger } from "./follow/follow.ts";
import { catchUp, rebuildAll, type CatchUpOptions } from "./follow/follow-ledger.ts";
import { declareIfWriter } from "./change/id-form.ts";
import { eraseFields } from "./change/erase-fields.ts";
import { forgetRecord, remainsOf } from "./change/forget-record.ts";
import { isCorrupt, recordOf } from "./search/gathering-index.ts";
import { ingestFolders } from "./ingest/ingest.ts";
import { layoutOfTarget, recordFile } from "./files/layout.ts";
import { isMergedInto, mergeCompanies } from "./change/merge.ts";
import type { Person } from "./fields/person.ts";
import { differencesOf, historyOf, restoreChanges } from "./change/record-history.ts";
import type { RecordKind, Records, RecordsOptions, RestoreRequest } from "./records.ts";
import { watchFiles } from "./ingest/watch.ts";
import { mustResolveName, resolveName, unknownRecord } from "./search/resolve-name.ts";

/** Opens the records of a data folder, and updates files and index from the ledger. */
export async function openRecords(options: RecordsOptions): Promise<Records> {
  const context = createRecordsContext(options);
  const { ledger, stored, run } = context;
  /** Long work ends when its caller aborts it, or when all records are about to be closed. */
  const withSignal = <Request extends { readonly signal?: AbortSignal }>(request: Request) => {
    const given = [request.signal, options.signal].filter((one) => one !== undefined);
    return given.length === 0 ? request : { ...request, signal: AbortSignal.any(given) };
  };
  const { onProgress } = options;
  const opening = withSignal<CatchUpOptions>(onProgress ? { onProgress } : {});
  await run(async () => {
    await catchUpOrRefill(context, opening);
    await context.reviewHeld();
    await declareIfWriter(context);
    await context.conclude();
  }, opening);

  const resolve: Records["resolve"] = (kind, name) => resolveName(stored, kind, name);
  const must = (kind: RecordKind, name: string) => mustResolveName(stored, kind, name);
  /** Ingests edits of the record's file first. */
  const fresh = async (target: string): Promise<Company | Person | undefined> => {
    const folder = stored.render(target)?.folder;
    if (folder !== undefined) await run(() => ingestFolders(context, { only: [folder] }));
    const found = stored.find(target);
    return found && recordOf(found);
  };
  const mustBeCompany = async (name: string) => (await fresh(must("company", name))) as Company;

  const changesToRestore = (request: Omit<RestoreRequest, "source">) => {
    const { kind = "company", name, field, atMs, archive } = request;
    // A deleted record is not in the index, but its id identifies it.
    const isId = layoutOfTarget(name)?.kind === kind;
    const target = resolve(kind, name) ?? (isId ? name : must(kind, name));
    return restoreChanges({ ledger, archive }, { target, field, atMs });
  };

  return {
    resolve,
    async company(name) {
      const target = resolve("company", name);
      return target === undefined ? undefined : ((await fresh(target)) as Company | undefined);
    },
    async person(name) {
      const target = resolve("person", name);
      return target === undefined ? undefined : ((await fresh(target)) as Person | undefined);
    },
    fileOf(target) {
      const mark = stored.render(target);
      return mark && `${mark.folder}/${recordFile}`;
    },
    write: context.write,
    writeAll: (commits) => writeAll(context, commits),
    create: async (request) => (await createAll(context, [request]))[0]!,
    createAll: (requests) => createAll(context, requests),
    async createPerson(request) {
      const { company } = request;
      const owner = company === undefined ? undefined : must("company", company);
      return createPerson(context, request, owner);
    },
    async duplicatesOf(name) {
      return findDuplicates(stored, await mustBeCompany(name));
    },
    async addEntry(request) {
      const target = must(request.recordKind ?? "company", request.name);
      return addEntry(context, target, request);
    },
    async rename(request) {
      const target = must(request.kind ?? "company", request.name);
      await renameRecord(context, target, request);
      return recordOf(stored.find(target)!);
    },
    async merge({ from, into, source }) {
      if (resolve("company", from) === undefined) {
        const other = resolve("company", into) ?? into;
        if (await isMergedInto(context, from, other)) return { fields: 0 };
      }
      const [one, other] = [await mustBeCompany(from), await mustBeCompany(into)];
      return mergeCompanies(context, { from: one, into: other, source });
    },
    async history({ kind = "company", name, field, archive }) {
      return historyOf({ ledger, archive }, { target: must(kind, name), field });
    },
    async planRestore(request) {
      return differencesOf(ledger, await changesToRestore(request));
    },
    async restoreAt(request) {
      const changes = await changesToRestore(request);
      return context.write({ source: request.source, changes });
    },
    async forget({ name, source }) {
      const target = resolve("company", name) ?? resolve("person", name);
      if (target !== undefined) return forgetRecord(context, { target, source });
      const isRepeated = layoutOfTarget(name) && (await ledger.read(name)).isForgotten;
      if (isRepeated) return forgetRecord(context, { target: name, source });
      throw unknownRecord("company", name);
    },
    erase: (request) => eraseFields(context, request),
    remains: (target) => remainsOf(context, target),
    ingest(request = {}) {
      const given = withSignal(request);
      return run(() => ingestFolders(context, given), given);
    },
    watch: (request) => watchFiles(context, request),
    follow: (request = {}) => followLedger(context, request),
    problems: () => stored.problems(),
    catchUp(request = {}) {
      const given = withSignal(request);
      return run(() => catchUp(context, given), given);
    },
    rebuild(request = {}) {
      const given = withSignal(request);
      return run(() => rebuild(context, given), given);
    },
    async [Symbol.asyncDispose]() {
      await run(async () => {
        await context.reviewHeld();
        await declareIfWriter(context);
        await context.conclude();
        context.settle();
      });
    },
  };
}

/** A damaged index is replaced, because it can be rebuilt from the ledger and the files. */
async function catchUpOrRefill(context: RecordsContext, options: CatchUpOptions): Promise<void> {
  try {
    await catchUp(context, options);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    context.log.warn("the index is damaged and is rebuilt", { error });
    context.index.discard();
    await rebuildAll(context, options);
  }
}

async function rebuild(context: RecordsContext, options: CatchUpOptions) {
  const clean = new Map<string, string>();
  const onClean = (path: string, rev: string) => void clean.set(path, rev);
  try {
    await ingestFolders(context, { ...options, onClean });
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    // Files that were edited are ingested when they are rendered.
    context.log.warn("the index is damaged and is rebuilt", { error });
    context.index.discard();
    clean.clear();
  }
  return rebuildAll(context, { ...options, clean });
}
