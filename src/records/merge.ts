import { AppError } from "../base/app-error.ts";
import { mergeChanges, type Change, type TargetView } from "../ledger/index.ts";
import type { Desk } from "./desk.ts";
import { idOf, type Company } from "./company.ts";
import { aliasPrefix, companyPrefix } from "./fields.ts";

/** Of one commit, well below what it takes. */
const commitSize = 500;

export interface MergeJob {
  readonly from: Company;
  readonly into: Company;
  readonly source: string;
}

/**
 * Copies what the other does not know, each value with the source it had, and then says in one
 * commit that the two are one. A crash in between leaves two that know the same: merging again
 * ends it. What both knew stays readable in the history of both.
 */
export async function mergeCompanies(desk: Desk, { from, into, source }: MergeJob) {
  if (from.target === into.target) {
    throw new AppError("invalid", "records_merge_same", `${from.slug} is the same as ${into.slug}`);
  }
  const [old, kept] = [await desk.ledger.read(from.target), await desk.ledger.read(into.target)];
  const bySource = copiedBySource(old, kept);
  let fields = 0;
  for (const [writer, changes] of bySource) {
    for (let at = 0; at < changes.length; at += commitSize) {
      const some = changes.slice(at, at + commitSize);
      fields += (await desk.ledger.write({ source: writer, changes: some })).datagrams.length;
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
  const changes = [...people, ...aliases, ...mergeChanges(from.target, into.target)];
  await desk.write({ source, changes });
  return { fields };
}

function copiedBySource(old: TargetView, kept: TargetView): ReadonlyMap<string, Change[]> {
  const known = new Set(kept.fields.map(({ field }) => field));
  const bySource = new Map<string, Change[]>();
  for (const { field, value, source } of old.fields) {
    if (known.has(field) || isOwn(field)) continue;
    const change = { target: kept.target, field, value };
    const some = bySource.get(source);
    if (some) some.push(change);
    else bySource.set(source, [change]);
  }
  return bySource;
}

const isOwn = (field: string): boolean =>
  field === "slug" ||
  field === "mergedInto" ||
  field.startsWith(aliasPrefix) ||
  field.startsWith("merged/");
