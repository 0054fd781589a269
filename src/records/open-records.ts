import { AppError } from "../base/app-error.ts";
import { createId } from "../base/ids.ts";
import type { Change, Commit } from "../ledger/index.ts";
import { createDesk, sayBehind, type Desk, type Outcome } from "./desk.ts";
import { idOf, type Company } from "./company.ts";
import { createPlanner, type CreatePlan } from "./create.ts";
import { findDuplicates } from "./duplicates.ts";
import { entryField, entryValue, type Entry } from "./entry.ts";
import { aliasPrefix, companyPrefix, personPrefix } from "./fields.ts";
import { followLedger } from "./follow.ts";
import { catchUp, rebuildAll } from "./follow-ledger.ts";
import { forgetRecord, remainsOf } from "./forget-record.ts";
import { recordOf } from "./gathering-index.ts";
import { firstText, randomLength } from "./identity.ts";
import { ingestFolders } from "./ingest-all.ts";
import { layoutOf, recordFile } from "./layout.ts";
import { worthWriting } from "./machine-facts.ts";
import { mergeCompanies } from "./merge.ts";
import { personTarget, type Person } from "./person.ts";
import { historyOf, restoreChanges } from "./record-history.ts";
import type {
  Created,
  CreateRequest,
  NewEntry,
  RecordKind,
  Records,
  RecordsOptions,
  RenameRequest,
} from "./records.ts";
import { isSlug, slugOf } from "./slug.ts";
import { watchFiles } from "./watch.ts";

/** Opens the records of a data folder, and brings files and index up to the ledger. */
export async function openRecords(options: RecordsOptions): Promise<Records> {
  const desk = createDesk(options);
  const { ledger, stored, random, inTurn } = desk;
  const { onProgress } = options;
  await inTurn(async () => {
    await catchUp(desk, onProgress ? { onProgress } : {});
    await desk.settle();
    await desk.conclude();
  });

  const resolve: Records["resolve"] = (kind, name) => resolveName(desk, kind, name);
  const must = (kind: RecordKind, name: string): string => {
    const target = resolve(kind, name);
    if (target === undefined) throw unknownRecord(kind, name);
    return target;
  };
  /** As it is after what hands may have changed in its file. */
  const fresh = async (target: string): Promise<Company | Person | undefined> => {
    const folder = stored.render(target)?.folder;
    if (folder !== undefined) await inTurn(() => ingestFolders(desk, { only: [folder] }));
    const found = stored.find(target);
    return found && recordOf(found);
  };
  const mustBeCompany = async (name: string) => (await fresh(must("company", name))) as Company;

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
    write: desk.write,
    writeAll: (commits) => writeAll(desk, commits),
    create: async (request) => (await createAll(desk, [request]))[0]!,
    createAll: (requests) => createAll(desk, requests),
    async createPerson({ source, fields, company, role }) {
      const id = createId(random, randomLength);
      const target = personTarget(id);
      const slug = slugOf(firstText(fields["slug"], fields["name"], id), id);
      const changes: Change[] = Object.entries({ ...fields, slug }).map(([field, value]) => {
        return { target, field, value };
      });
      if (company !== undefined) {
        const owner = must("company", company);
        const value = role === undefined ? true : { role };
        changes.push({ target, field: `${companyPrefix}${idOf(owner)}`, value });
        changes.push({ target: owner, field: `${personPrefix}${id}`, value });
      }
      const { datagrams } = await desk.write({ source, changes });
      const found = stored.find(target);
      const given = found ? recordOf(found).slug : slug;
      return { outcome: "created", target, slug: given, written: datagrams.length, leftOut: [] };
    },
    async duplicatesOf(name) {
      return findDuplicates(stored, await mustBeCompany(name));
    },
    async addEntry(request) {
      const target = must(request.recordKind ?? "company", request.name);
      return addEntry(desk, target, request);
    },
    async rename(request) {
      const target = must(request.kind ?? "company", request.name);
      await rename(desk, target, request);
      return recordOf(stored.find(target)!);
    },
    async merge({ from, into, source }) {
      const [one, other] = [await mustBeCompany(from), await mustBeCompany(into)];
      return mergeCompanies(desk, { from: one, into: other, source });
    },
    async history({ kind = "company", name, field, archive }) {
      return historyOf({ ledger, archive }, { target: must(kind, name), field });
    },
    async restoreAt({ kind = "company", name, field, atMs, source, archive }) {
      const target = must(kind, name);
      const changes = await restoreChanges({ ledger, archive }, { target, field, atMs });
      return desk.write({ source, changes });
    },
    async forget({ name, source }) {
      const target = resolve("company", name) ?? resolve("person", name);
      if (target === undefined) throw unknownRecord("company", name);
      return forgetRecord(desk, { target, source });
    },
    remains: (target) => remainsOf(desk, target),
    ingest: (request) => inTurn(() => ingestFolders(desk, request)),
    watch: (request) => watchFiles(desk, request),
    follow: (request = {}) => followLedger(desk, request),
    problems: () => stored.problems(),
    catchUp: (request) => inTurn(() => catchUp(desk, request)),
    rebuild: (request) =>
      inTurn(async () => {
        const clean = new Map<string, string>();
        const onClean = (path: string, rev: string) => void clean.set(path, rev);
        await ingestFolders(desk, { ...request, onClean });
        return rebuildAll(desk, { ...request, clean });
      }),
    async [Symbol.asyncDispose]() {
      await inTurn(async () => {
        await desk.settle();
        await desk.conclude();
      });
    },
  };
}

function resolveName({ stored }: Desk, kind: RecordKind, name: string): string | undefined {
  const { folder } = layoutOf(kind);
  const slug = name.replace(`${folder}/`, "").replace(/\/(?:_index\.md)?$/, "");
  const target = stored.bySlug(kind, slug);
  if (target !== undefined) return target;
  for (const one of [name, `${kind}/${name}`]) {
    if (one.startsWith(`${kind}/`) && stored.find(one)) return one;
  }
  return undefined;
}

/** Of commits that are written and rendered as one. */
const chunkSize = 500;

async function writeAll(desk: Desk, commits: readonly Commit[]) {
  let written = 0;
  for (let at = 0; at < commits.length; at += chunkSize) {
    const all = await writeSome(desk, commits.slice(at, at + chunkSize));
    if (desk.isDue(all)) await desk.inTurn(() => desk.renderWritten(all)).catch(sayBehind);
    written += all.reduce((sum, one) => sum + one.written.datagrams.length, 0);
  }
  return { written };
}

const writeSome = ({ ledger }: Desk, commits: readonly Commit[]): Promise<readonly Outcome[]> =>
  Promise.all(
    commits.map(worthWriting).map(async (commit) => {
      return { commit, written: await ledger.write(commit) };
    }),
  );

async function createAll(desk: Desk, requests: readonly CreateRequest[]) {
  const { ledger, stored, random } = desk;
  const planner = createPlanner({ ledger, index: stored, random });
  const created: Created[] = [];
  for (let at = 0; at < requests.length; at += chunkSize) {
    const some = requests.slice(at, at + chunkSize);
    // In one turn, so that of two processes that find the same one, the second knows the first's.
    const { plans, outcomes } = await desk.inTurn(async () => {
      await catchUp(desk, { isUnbroken: true });
      const made: CreatePlan[] = [];
      for (const request of some) made.push(await planner.plan(request));
      const commits = made.flatMap(({ commit }) => (commit ? [commit] : []));
      const all = await writeSome(desk, commits);
      await desk.renderWritten(all).catch(sayBehind);
      return { plans: made, outcomes: [...all] };
    });
    for (const { outcome, target, leftOut, commit } of plans) {
      const found = stored.find(target);
      const written = commit ? outcomes.shift()!.written.datagrams.length : 0;
      created.push({ outcome, target, leftOut, written, slug: found ? recordOf(found).slug : "" });
    }
  }
  return created;
}

async function addEntry(desk: Desk, target: string, request: NewEntry): Promise<Entry> {
  const { random, clock } = desk;
  const { kind, source, name: _name, recordKind: _kind, ...rest } = request;
  const at = request.at ?? new Date(clock.nowMs()).toISOString();
  const by = request.by ?? source.replace(/^hand:/, "");
  const entry: Entry = {
    ...entryValue({ ...rest, at, by }),
    kind,
    id: createId(random, randomLength),
  };
  const changes: Change[] = [{ target, field: entryField(entry), value: entryValue(entry) }];
  if (entry.callback !== undefined) {
    changes.push({ target, field: "callback", value: entry.callback });
  }
  await desk.write({ source, changes });
  return entry;
}

async function rename(desk: Desk, target: string, request: RenameRequest): Promise<void> {
  const { source, newName, newSlug, kind = "company" } = request;
  const old = recordOf(desk.stored.find(target)!);
  const slug = newSlug ?? (newName === undefined ? old.slugWanted : slugOf(newName, idOf(target)));
  if (newSlug !== undefined && !isSlug(newSlug)) {
    const message = `"${newSlug}" cannot be a folder: use a-z, 0-9 and single dashes, as in ${slugOf(newSlug, idOf(target))}`;
    throw new AppError("invalid", "records_slug", message);
  }
  const holder = newSlug === undefined ? undefined : desk.stored.bySlug(kind, newSlug);
  if (holder !== undefined && holder !== target) {
    const message = `${newSlug} is the folder of ${holder}: choose another, or merge the two`;
    throw new AppError("invalid", "records_slug_taken", message);
  }
  const changes: Change[] = [{ target, field: "slug", value: slug }];
  if (newName !== undefined) changes.push({ target, field: "name", value: newName });
  if (slug !== old.slug) {
    changes.push({ target, field: `${aliasPrefix}${old.slug}`, value: true });
    changes.push({ target, field: `${aliasPrefix}${slug}`, unset: true });
  }
  await desk.write({ source, changes });
}

const unknownRecord = (kind: RecordKind, name: string) =>
  new AppError(
    "invalid",
    "records_unknown",
    `there is no ${kind} called "${name.slice(0, 80)}": \`forager ${kind} search\` finds them`,
  );
