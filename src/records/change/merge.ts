import { AppError } from "../../base/app-error.ts";
import { mergeChanges, type Change, type TargetView } from "../../ledger/index.ts";
import type { RecordsContext } from "../context.ts";
import { idOf, textOf, type Company } from "../fields/company.ts";
import { entriesOf, isCallbackOver } from "../fields/entry.ts";
import { aliasPrefix, companyPrefix } from "../fields/fields.ts";
import { domainField, mergedFieldsPrefix, placeField } from "../fields/places.ts";

/** Changes in one commit; far below the limit. */
const commitSize = 500;
/** The maximum length of a chain of merges. */
const mergesMax = 100;

export interface MergeJob {
  readonly from: Company;
  readonly into: Company;
  readonly source: string;
}

/**
 * Copies the fields that the other company lacks, each with its source, and then records in one
 * commit that the two are the same. After a crash in between there are still two companies; merging
 * them again completes it. Fields that both had stay in the history of both.
 */
export async function mergeCompanies(context: RecordsContext, { from, into, source }: MergeJob) {
  if (from.target === into.target) {
    throw new AppError("invalid", "records_merge_same", `${from.slug} is the same as ${into.slug}`);
  }
  const [old, kept] = [
    await context.ledger.read(from.target),
    await context.ledger.read(into.target),
  ];
  const bySource = copiedBySource(old, kept);
  const came = [...bySource.values()].flat().map(({ field }) => field);
  let fields = 0;
  for (const [writer, changes] of bySource) {
    for (let at = 0; at < changes.length; at += commitSize) {
      const some = changes.slice(at, at + commitSize);
      fields += (await context.ledger.write({ source: writer, changes: some })).datagrams.length;
    }
  }
  const aliases = [from.slug, ...from.aliases].map((slug) => {
    return { target: into.target, field: `${aliasPrefix}${slug}`, value: true };
  });
  const people = from.people.flatMap(({ id, role }): Change[] => [
    {
      target: `person/${id}`,
      field: `${companyPrefix}${idOf(into.target)}`,
      value: role === undefined ? true : { role },
    },
    { target: `person/${id}`, field: `${companyPrefix}${idOf(from.target)}`, unset: true },
  ]);
  const changes: Change[] = [
    ...people,
    ...earlierCallback(old, kept),
    ...aliases,
    // For `unmergeCommit`.
    { target: into.target, field: `${mergedFieldsPrefix}${idOf(from.target)}`, value: came },
    ...mergeChanges(from.target, into.target),
  ];
  await context.write({ source, changes });
  return { fields };
}

/** Keeps the earlier of two callbacks. A callback that is done is not kept. */
function earlierCallback(old: TargetView, kept: TargetView): readonly Change[] {
  const { target } = kept;
  const entries = [...entriesOf(old.fields), ...entriesOf(kept.fields)];
  const open = [old, kept].flatMap(({ fields }) => {
    const callback = textOf(fields.find(({ field }) => field === "callback"));
    return callback === undefined || isCallbackOver(callback, entries) ? [] : [callback];
  });
  if (open.length < 2) return [];
  const [first] = open.toSorted((a, b) => Date.parse(a) - Date.parse(b));
  return [{ target, field: "callback", value: first }];
}

/** True if a target was already merged into the other, by this request or an earlier one. */
export async function isMergedInto(
  { ledger }: Pick<RecordsContext, "ledger">,
  target: string,
  into: string,
): Promise<boolean> {
  if (!target.startsWith("company/")) return false;
  let now: string | undefined = target;
  for (let step = 0; step < mergesMax && now !== undefined; step++) {
    ({ mergedInto: now } = await ledger.read(now));
    if (now === into) return true;
  }
  return false;
}

function copiedBySource(old: TargetView, kept: TargetView): ReadonlyMap<string, Change[]> {
  const known = new Set(kept.fields.map(({ field }) => field));
  const bySource = new Map<string, Change[]>();
  for (const { field, value, source } of old.fields) {
    if (isOwn(field)) continue;
    // All places and domains of both stay known, so that neither company is created again.
    const element = known.has(field) ? elementOf(field, value) : undefined;
    const copied = element ?? field;
    if (known.has(copied)) continue;
    known.add(copied);
    const change = {
      target: kept.target,
      field: copied,
      value: element === undefined ? value : true,
    };
    const some = bySource.get(source);
    if (some) some.push(change);
    else bySource.set(source, [change]);
  }
  return bySource;
}

const elementOf = (field: string, value: unknown): string | undefined => {
  if (field === "place") return placeField(value);
  return field === "domain" ? domainField(value) : undefined;
};

const isOwn = (field: string): boolean =>
  field === "slug" ||
  field === "mergedInto" ||
  field.startsWith(aliasPrefix) ||
  field.startsWith(mergedFieldsPrefix) ||
  field.startsWith("merged/");
