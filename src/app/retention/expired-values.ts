import type { Settings } from "../../config/index.ts";
import { emailKindOf } from "../../extract/index.ts";
import type { NodeApi, NodeReadApi } from "../../node/index.ts";
import {
  companyTarget,
  pageLimitMax,
  mergedFieldsPrefix,
  mergedPrefix,
  retentionSource as source,
  targetsOf,
  visitField,
  visitRecordOf,
  type Company,
  type Person,
  type RecordKind,
} from "../../records/index.ts";
import type { Erasure, TargetView } from "../../ledger/index.ts";

/** A personal value that is older than the settings allow. */
export interface ExpiredValue {
  readonly kind: "person" | "email";
  /** The person, or the company or person that has the address. */
  readonly target: string;
  readonly slug: string;
  readonly name: string;
  /** The address. */
  readonly email?: string;
  /** The record does not have the address any more, only its history. */
  readonly isRemoved?: true;
  /** When it was last written or found, ISO 8601. */
  readonly seenAt: string;
}

export interface RetentionOptions {
  readonly node: Pick<NodeReadApi, "ledger" | "records">;
  readonly retention: Settings["retention"];
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

const dayMs = 86_400_000;
const isoLength = "2026-11-15T19:02:03.004Z".length;

/**
 * Finds personal data that is old enough to be deleted. The age counts from the last time that a
 * value was written or that a visit of the website found it. Manual values count as well, because
 * the law makes no difference.
 */
async function* findExpired(options: RetentionOptions): AsyncGenerator<ExpiredValue> {
  const { retention, nowMs } = options;
  const before = (days: number) => new Date(nowMs - days * dayMs).toISOString();
  const people = new Set<string>();
  if (retention.peopleDays > 0) {
    for await (const one of expiredPeople(options, before(retention.peopleDays))) {
      people.add(one.target);
      yield one;
    }
  }
  if (retention.personalEmailDays > 0) {
    const emailsBefore = before(retention.personalEmailDays);
    for await (const one of expiredEmailsOfPeople(options, emailsBefore)) {
      if (!people.has(one.target)) yield one; // otherwise it is deleted with the person
    }
    yield* expiredEmails(options, emailsBefore);
  }
}

async function* expiredPeople(
  options: RetentionOptions,
  before: string,
): AsyncGenerator<ExpiredValue> {
  const { ledger } = options.node;
  for await (const page of allRecords(options, "person")) {
    const people = page.flatMap((one) => ("companies" in one ? [one] : []));
    const old = people.filter(({ changedAt }) => changedAt.slice(0, isoLength) < before);
    if (old.length === 0) continue;
    const companies = await ledger.readAll(
      old.flatMap((person) => person.companies.map(({ id }) => companyTarget(id))),
    );
    for (const person of old) {
      const { target, slug, name } = person;
      const seenAt = [person.changedAt.slice(0, isoLength), ...seenOf(person, companies)].sort().at(-1)!; // prettier-ignore
      if (seenAt < before) yield { kind: "person", target, slug, name, seenAt };
    }
  }
}

/** When the websites of their companies last showed one of their addresses. */
function seenOf(person: Person, companies: readonly TargetView[]): readonly string[] {
  const own = new Set(person.companies.map(({ id }) => companyTarget(id)));
  const fields = new Set(person.emails.map(({ value }) => `email/${value}`));
  return companies.flatMap((view) => {
    const visit = own.has(view.target) ? visitRecordOf(view) : undefined;
    return visit?.seen.some((field) => fields.has(field)) ? [visit.at] : [];
  });
}

async function* expiredEmails(
  options: RetentionOptions,
  before: string,
): AsyncGenerator<ExpiredValue> {
  for await (const page of allRecords(options, "company")) {
    const companies = page.flatMap((one) => ("categories" in one ? [one] : []));
    const holders = companies.map((company) => ({
      ...company,
      isPersonal: (email: string) => emailKindOf(email, company.texts.domain) === "person",
    }));
    yield* removedEmails(options, holders, before);
    const some = companies.filter(({ emails, texts }) =>
      emails.some(({ value }) => emailKindOf(value, texts.domain) === "person"),
    );
    const views = await options.node.ledger.readAll(some.map(({ target }) => target));
    for (const [at, view] of views.entries()) yield* expiredEmailsOf(some[at]!, view, before);
  }
}

/** An address of a person is personal, whatever it looks like. */
async function* expiredEmailsOfPeople(
  options: RetentionOptions,
  before: string,
): AsyncGenerator<ExpiredValue> {
  const { ledger } = options.node;
  for await (const page of allRecords(options, "person")) {
    const all = page.flatMap((one) => ("companies" in one ? [one] : []));
    yield* removedEmails(options, all.map((one) => ({ ...one, isPersonal: () => true })), before); // prettier-ignore
    const people = all.filter(({ emails }) => emails.length > 0);
    const views = await ledger.readAll(people.map(({ target }) => target));
    const companies = await ledger.readAll(
      people.flatMap((person) => person.companies.map(({ id }) => companyTarget(id))),
    );
    for (const [at, { target, slug, name, emails, companies: of }] of people.entries()) {
      const own = new Set(of.map(({ id }) => companyTarget(id)));
      const visits = companies.flatMap((view) => (own.has(view.target) ? (visitRecordOf(view) ?? []) : [])); // prettier-ignore
      for (const { value: email } of emails) {
        const field = `email/${email}`;
        const written = views[at]!.fields.find((one) => one.field === field)?.stamp;
        if (written === undefined) continue;
        const seen = visits.flatMap((visit) => (visit.seen.includes(field) ? [visit.at] : []));
        const seenAt = [written.slice(0, isoLength), ...seen].sort().at(-1)!;
        if (seenAt < before) yield { kind: "email", target, slug, name, email, seenAt };
      }
    }
  }
}

interface EmailHolder extends Pick<Company | Person, "target" | "slug" | "name" | "emails"> {
  readonly isPersonal: (email: string) => boolean;
}

/** Addresses that a record lost, by a visit, by hand or by a merge, stay in the ledger until they are erased. */
async function* removedEmails(
  { node: { ledger } }: RetentionOptions,
  holders: readonly EmailHolder[],
  before: string,
): AsyncGenerator<ExpiredValue> {
  const targets = holders.map(({ target }) => target);
  const known = await ledger.knownFields({ targets, prefixes: [emailPrefix, mergedPrefix] });
  const intoOf = new Map(
    known.flatMap(({ target, field }) =>
      field.startsWith(mergedPrefix) ? [[field.slice(mergedPrefix.length), target]] : [],
    ),
  );
  const merged =
    intoOf.size === 0
      ? []
      : await ledger.knownFields({ targets: [...intoOf.keys()], prefixes: [emailPrefix] });
  const lastOf = new Map<string, Map<string, string>>();
  for (const { target, field, stamp } of [...known, ...merged]) {
    if (!field.startsWith(emailPrefix)) continue;
    const into = intoOf.get(target) ?? target;
    const own = lastOf.get(into) ?? new Map<string, string>();
    const email = field.slice(emailPrefix.length);
    if (stamp > (own.get(email) ?? "")) own.set(email, stamp);
    lastOf.set(into, own);
  }
  for (const { target, slug, name, emails, isPersonal } of holders) {
    const shown = new Set(emails.map(({ value }) => value));
    for (const [email, stamp] of lastOf.get(target) ?? []) {
      const seenAt = stamp.slice(0, isoLength);
      if (shown.has(email) || seenAt >= before || !isPersonal(email)) continue;
      yield { kind: "email", target, slug, name, email, isRemoved: true, seenAt };
    }
  }
}

const emailPrefix = "email/";

function* expiredEmailsOf(
  { target, slug, name, emails, texts }: Company,
  view: TargetView,
  before: string,
): Generator<ExpiredValue> {
  const visit = visitRecordOf(view);
  const stamps = new Map(view.fields.map(({ field, stamp }) => [field, stamp]));
  for (const { value: email } of emails) {
    if (emailKindOf(email, texts.domain) !== "person") continue;
    const field = `email/${email}`;
    const written = stamps.get(field)?.slice(0, isoLength);
    if (written === undefined) continue; // from a company that was merged into this one
    const isSeen = visit?.seen.includes(field) === true && visit.at > written;
    const seenAt = isSeen ? visit.at : written;
    if (seenAt < before) yield { kind: "email", target, slug, name, email, seenAt };
  }
}

async function* allRecords({ node, signal }: RetentionOptions, kind: RecordKind) {
  let after: string | undefined;
  do {
    signal.throwIfAborted();
    const query = { kind, sort: "name" as const, limit: pageLimitMax, ...(after && { after }) };
    const page = await node.records.search(query);
    yield page.rows.map((row): Company | Person =>
      row.kind === "company" ? row.company : row.person,
    );
    after = page.next;
  } while (after !== undefined);
}

export interface ExpiredValues {
  readonly values: readonly ExpiredValue[];
  /** There are more than the limit. */
  readonly isCut: boolean;
}

/** About 30 MB. */
const expiredMax = 100_000;

/** Reads before anything is deleted, because deletions shift the pages. */
export async function readExpired(
  options: RetentionOptions,
  limit = expiredMax,
): Promise<ExpiredValues> {
  const values: ExpiredValue[] = [];
  for await (const one of findExpired(options)) {
    if (values.length === limit) return { values, isCut: true };
    values.push(one);
  }
  return { values, isCut: false };
}

export interface RemoveExpiredOptions extends Omit<RetentionOptions, "node"> {
  readonly node: Pick<NodeApi, "ledger" | "records">;
  /** The values that the user confirmed; default: all that are found now. */
  readonly expired?: readonly ExpiredValue[];
  /** How many values are found, and then deleted, at a time. */
  readonly limit?: number;
  readonly onRemoved?: (count: number) => void;
}

export interface RemovedValues {
  readonly people: number;
  readonly emails: number;
}

/**
 * Deletes the values: a person is forgotten, an address is erased, both with their history. Returns
 * the numbers of both. If it is stopped, the deletions so far stay, and the next run finds the rest.
 */
export async function removeExpired(options: RemoveExpiredOptions): Promise<RemovedValues> {
  const { expired, limit, signal } = options;
  if (expired) return removeValues(options, expired);
  const count = { people: 0, emails: 0 };
  for (;;) {
    const { values, isCut } = await readExpired(options, limit);
    const { people, emails } = await removeValues(options, values);
    count.people += people;
    count.emails += emails;
    // What was deleted is not found again, so this ends.
    if (!isCut || people + emails === 0 || signal.aborted) return count;
  }
}

async function removeValues(
  options: RemoveExpiredOptions,
  expired: readonly ExpiredValue[],
): Promise<RemovedValues> {
  const { node, onRemoved, signal } = options;
  const count = { people: 0, emails: 0 };
  for (const { target } of expired.filter(({ kind }) => kind === "person")) {
    if (signal.aborted) return count;
    await node.records.forget({ name: target, source });
    count.people += 1;
    onRemoved?.(count.people);
  }
  const emails = expired.filter(({ kind }) => kind === "email");
  for (let from = 0; from < emails.length && !signal.aborted; from += erasedAtOnce) {
    const some = emails.slice(from, from + erasedAtOnce);
    await node.records.erase({ source, erasures: await erasuresOf(node, some) });
    count.emails += some.length;
    onRemoved?.(count.people + count.emails);
  }
  // An earlier call may have been stopped between the erasing and the scrubbing of the logs.
  const isDue = options.retention.personalEmailDays > 0 && emails.length === 0 && !signal.aborted;
  if (isDue && (await node.ledger.unscrubbed()) > 0) {
    await node.records.erase({ source, erasures: [] });
  }
  return count;
}

/** Each call reads the journals once. */
const erasedAtOnce = 1_500;

/**
 * The address, where visits list it, and its status and other texts that have it, in the record and
 * in those merged into it.
 */
async function erasuresOf(
  { ledger }: RemoveExpiredOptions["node"],
  expired: readonly ExpiredValue[],
): Promise<readonly Erasure[]> {
  const emailsOf = new Map<string, string[]>();
  for (const { target, email = "" } of expired) {
    emailsOf.set(target, [...(emailsOf.get(target) ?? []), email]);
  }
  const views = await ledger.readAll([...emailsOf.keys()]);
  const mentions = [visitField, mergedFieldsPrefix];
  return views.flatMap((view) => {
    const texts = emailsOf.get(view.target)!;
    const fields = texts.map((email) => `${emailPrefix}${email}`);
    return [...targetsOf(view)].map((target) => ({ target, fields, mentions, texts }));
  });
}
