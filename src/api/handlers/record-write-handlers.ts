import type { Change, ConflictView } from "../../ledger/index.ts";
import { readConflicts, type NodeApi } from "../../node/index.ts";
import {
  deleteRecord,
  findDeleted,
  fieldToUnset,
  readDomain,
  readEmail,
  readFieldValues,
  type Company,
  type NewEntry,
  type Person,
  type RecordKind,
} from "../../records/index.ts";
import type { recordWriteRoutes } from "../contract/records/record-write-routes.ts";
import type { RouteContext, HandlersOf } from "../handler.ts";
import { notFound, ProblemError } from "../problems.ts";
import { defined } from "./queue-handlers.ts";

type Writing = Pick<RouteContext, "node" | "caller" | "clock" | "user">;

export const recordWriteHandlers: HandlersOf<typeof recordWriteRoutes> = {
  async createCompany({ body: { name, fields: given, isSeparate, country } }, context) {
    const { node, clock } = context;
    const options = { kind: "company", isNew: true, country, nowMs: clock.nowMs() } as const;
    const fields = readFieldValues([["name", name], ...Object.entries(given ?? {})], options);
    const request = { source: sourceOf(context), fields, addsOnly: true };
    return node.records.create({ ...request, ...defined({ isSeparate }) });
  },
  editCompany: ({ params, body }, context) => edit(context, "company", params.name, body),
  addCompanyEntry: ({ params, body }, context) => addEntry(context, "company", params.name, body),
  tagCompany: ({ params, body }, context) => tag(context, "company", params.name, body),
  async excludeCompany({ params, body: { reason } }, context) {
    const { target, slug } = await findRecord(context.node, "company", params.name);
    const change = reason === null ? { unset: true as const } : { value: reason };
    await write(context, [{ target, field: "excluded", ...change }]);
    return { target, slug, excluded: reason };
  },
  companyHistory: ({ params, query }, context) => history(context, "company", params.name, query),
  restoreCompany: ({ params, body }, context) => restore(context, "company", params.name, body),
  deleteCompany: ({ params, body }, context) => remove(context, "company", params.name, body),
  forgetCompany: ({ params, body }, context) => forget(context, "company", params.name, body),
  async createPerson({ body: { name, fields: given, company, role, country } }, context) {
    const { node, clock } = context;
    const options = { kind: "person", isNew: true, country, nowMs: clock.nowMs() } as const;
    const fields = readFieldValues([["name", name], ...Object.entries(given ?? {})], options);
    const source = sourceOf(context);
    return node.records.createPerson({ source, fields, ...defined({ company, role }) });
  },
  editPerson: ({ params, body }, context) => edit(context, "person", params.name, body),
  addPersonEntry: ({ params, body }, context) => addEntry(context, "person", params.name, body),
  tagPerson: ({ params, body }, context) => tag(context, "person", params.name, body),
  personHistory: ({ params, query }, context) => history(context, "person", params.name, query),
  restorePerson: ({ params, body }, context) => restore(context, "person", params.name, body),
  deletePerson: ({ params, body }, context) => remove(context, "person", params.name, body),
  forgetPerson: ({ params, body }, context) => forget(context, "person", params.name, body),
  async whoHas({ query: { address } }, { node }) {
    const [email, domain] = [readEmail(address), readDomain(address)];
    if (email === undefined && domain === undefined) {
      const detail = "query.address: neither an e-mail address nor a domain";
      throw new ProblemError(400, "bad_request", detail);
    }
    const usage = await (email !== undefined
      ? node.records.emailUsage(email)
      : node.records.domainUsage(domain!));
    return { address: email ?? domain!, ...usage };
  },
  async listConflicts({ query: { limit } }, { node }) {
    const rows: ConflictView[] = [];
    let total = 0;
    for await (const conflicts of readConflicts(node.ledger)) {
      total += conflicts.length;
      rows.push(...conflicts.slice(0, limit - rows.length));
    }
    return { total, rows };
  },
  async restoreConflict({ body: { target, dot } }, context) {
    const { datagrams } = await context.node.ledger.restore({
      target,
      dot,
      source: sourceOf(context),
    });
    return { target, restored: datagrams.map(({ field }) => field) };
  },
  async recordProblems({ query: { limit } }, { node }) {
    const all = await node.records.problems();
    return { total: all.length, rows: all.slice(0, limit) };
  },
};

export const sourceOf = ({ caller }: Pick<Writing, "caller">) => `hand:${caller.user}`;

export async function findRecord(
  { records }: Pick<NodeApi, "records">,
  kind: RecordKind,
  name: string,
): Promise<Company | Person> {
  const found = kind === "company" ? await records.company(name) : await records.person(name);
  if (!found) throw notFound(`${kind} '${name}'`);
  return found;
}

async function write(context: Writing, changes: readonly Change[]): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const commit = { source: sourceOf(context), changes };
  const { datagrams } = await context.node.records.write(commit);
  return datagrams.map(({ field }) => field);
}

interface Edit {
  readonly set?: Readonly<Record<string, unknown>> | undefined;
  readonly unset?: readonly string[] | undefined;
  readonly slug?: string | undefined;
  readonly country?: string | undefined;
}

async function edit(context: Writing, kind: RecordKind, name: string, edits: Edit) {
  const { node, clock } = context;
  const record = await findRecord(node, kind, name);
  const { target } = record;
  const options = { kind, isNew: false, country: edits.country, nowMs: clock.nowMs() };
  const { name: newName, ...fields } = readFieldValues(Object.entries(edits.set ?? {}), options);
  const written = await write(context, [
    ...Object.entries(fields).map(([field, value]) => ({ target, field, value })),
    ...(edits.unset ?? []).map((field) => ({
      target,
      field: fieldToUnset(record, field),
      unset: true as const,
    })),
  ]);
  const isRenamed = typeof newName === "string" || edits.slug !== undefined;
  if (isRenamed) {
    await node.records.rename({
      kind,
      name: target,
      source: sourceOf(context),
      ...(typeof newName === "string" && { newName }),
      ...(edits.slug !== undefined && { newSlug: edits.slug }),
    });
  }
  const { slug } = await findRecord(node, kind, target);
  return { target, slug, changed: [...(isRenamed ? ["name"] : []), ...written] };
}

interface EntryGiven extends Pick<NewEntry, "kind" | "text"> {
  readonly title?: string | undefined;
  readonly at?: string | undefined;
  readonly by?: string | undefined;
  readonly outcome?: string | undefined;
  readonly callback?: string | undefined;
  readonly isDone?: boolean | undefined;
}

async function addEntry(context: Writing, kind: RecordKind, name: string, given: EntryGiven) {
  const { target } = await findRecord(context.node, kind, name);
  if (
    given.text.trim() === "" &&
    !(given.kind === "call" && (given.outcome !== undefined || given.isDone))
  ) {
    throw new ProblemError(400, "bad_request", "body.text: there is no text");
  }
  return context.node.records.addEntry({
    by: context.user,
    ...(defined(given) as NewEntry),
    name: target,
    recordKind: kind,
    source: sourceOf(context),
  });
}

async function tag(
  context: Writing,
  kind: RecordKind,
  name: string,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
) {
  const { target, slug } = await findRecord(context.node, kind, name);
  const fieldOf = (text: string) => {
    if (text.trim() === "") throw new ProblemError(400, "bad_request", "body: a tag is not empty");
    return `tag/${text.trim()}`;
  };
  await write(context, [
    ...add.map((text) => ({ target, field: fieldOf(text), value: true })),
    ...remove.map((text) => ({ target, field: fieldOf(text), unset: true as const })),
  ]);
  const { tags } = await findRecord(context.node, kind, target);
  return { target, slug, tags };
}

async function history(
  { node }: Writing,
  kind: RecordKind,
  name: string,
  { field, limit }: { readonly field?: string | undefined; readonly limit: number },
) {
  const { target } = await findRecord(node, kind, name);
  const entries = await node.records.history({ kind, name: target, ...defined({ field }) });
  return { rows: entries.slice(0, limit) };
}

async function restore(
  context: Writing,
  kind: RecordKind,
  name: string,
  { at, field }: { readonly at: string; readonly field?: string | undefined },
) {
  const target = await findTarget(context.node, kind, name);
  const { datagrams } = await context.node.records.restoreAt({
    kind,
    name: target,
    atMs: Date.parse(at),
    source: sourceOf(context),
    ...defined({ field }),
  });
  return { target, restored: datagrams.map((one) => one.field) };
}

/** A deleted record has no folder: it is found by its target or by its former name. */
async function findTarget(node: Writing["node"], kind: RecordKind, name: string): Promise<string> {
  const isKnown = (await node.records.resolve(kind, name)) !== undefined;
  if (!isKnown && name.startsWith(`${kind}/`)) return name;
  const deleted = isKnown ? undefined : await findDeleted(node.ledger, kind, name);
  return (deleted ?? (await findRecord(node, kind, name))).target;
}

interface Confirmation {
  readonly confirm: string;
}

/** The caller must repeat the slug, so that a mistake in a list removes nothing. */
function checkConfirmed({ confirm }: Confirmation, slug: string, what: string): void {
  if (confirm === slug) return;
  throw new ProblemError(400, "not_confirmed", `body.confirm: repeat '${slug}', the slug of what is ${what}`); // prettier-ignore
}

async function remove(context: Writing, kind: RecordKind, name: string, body: Confirmation) {
  const { target, slug } = await findRecord(context.node, kind, name);
  checkConfirmed(body, slug, "deleted");
  const deleted = await deleteRecord(context.node, { target, source: sourceOf(context) });
  return { target, slug, ...deleted };
}

async function forget(context: Writing, kind: RecordKind, name: string, body: Confirmation) {
  const { target, slug } = await findRecord(context.node, kind, name);
  checkConfirmed(body, slug, "forgotten for good");
  await context.node.records.forget({ name: target, source: sourceOf(context) });
  const { isForgotten } = await context.node.ledger.read(target);
  return { target, isForgotten, here: await context.node.records.remains(target) };
}
