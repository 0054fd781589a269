import { AppError } from "../../base/app-error.ts";
import type { Change, Commit, TargetView } from "../../ledger/index.ts";
import { companyTarget, elementsOf, idOf, membersOf, textOf } from "../fields/company.ts";
import { aliasPrefix, companyPrefix, personPrefix } from "../fields/fields.ts";
import { distinctPrefix, domainField, mergedFieldsPrefix, placeField } from "../fields/places.ts";
import type { Records } from "../records.ts";

/**
 * Records that two companies are distinct, as facts of both, so that users are not asked about them
 * again.
 */
export const distinctChanges = (a: string, b: string): readonly Change[] => [
  { target: a, field: `${distinctPrefix}${idOf(b)}`, value: true },
  { target: b, field: `${distinctPrefix}${idOf(a)}`, value: true },
];

/**
 * Undoes a merge: fields that came from the other company and were not changed since go back, and
 * the two are marked as distinct. `from` is the ledger view of the company that was merged, `into`
 * of the one that stayed.
 */
export function unmergeCommit(from: TargetView, into: TargetView, source: string): Commit {
  if (from.mergedInto !== into.target) {
    throw new AppError("invalid", "records_not_merged", `${from.target} was not merged into ${into.target}`); // prettier-ignore
  }
  const ownId = idOf(from.target);
  const list = into.fields.find(({ field }) => field === `${mergedFieldsPrefix}${ownId}`)?.value;
  const came = new Set(Array.isArray(list) ? list.filter((one) => typeof one === "string") : []);
  const own = new Map(from.fields.map((one) => [one.field, one]));
  const back = into.fields.flatMap(({ field, value }): Change[] => {
    const before = own.get(field);
    const isAsItCame = before
      ? JSON.stringify(before.value) === JSON.stringify(value)
      : field === domainField(own.get("domain")?.value) || field === placeField(own.get("place")?.value); // prettier-ignore
    return came.has(field) && isAsItCame ? [{ target: into.target, field, unset: true }] : [];
  });
  const aliases = [textOf(own.get("slug")), ...elementsOf(from.fields, aliasPrefix)];
  const people = membersOf(
    from.fields.filter(({ field }) => field.startsWith(personPrefix)),
    personPrefix,
  ).flatMap(({ id, role }): Change[] => [
    {
      target: `${personPrefix}${id}`,
      field: `${companyPrefix}${ownId}`,
      value: role === undefined ? true : { role },
    },
    ...(came.has(`${personPrefix}${id}`)
      ? [{ target: `${personPrefix}${id}`, field: `${companyPrefix}${idOf(into.target)}`, unset: true } as const] // prettier-ignore
      : []),
  ]);
  const changes: Change[] = [
    ...back,
    ...people,
    ...into.fields
      .filter(({ field }) => aliases.some((slug) => field === `${aliasPrefix}${slug}`))
      .map(({ field }): Change => ({ target: into.target, field, unset: true })),
    { target: into.target, field: `${mergedFieldsPrefix}${ownId}`, unset: true },
    { target: into.target, field: `merged/${from.target}`, unset: true },
    { target: from.target, field: "mergedInto", unset: true },
    ...distinctChanges(from.target, into.target),
  ];
  return { source, changes };
}

/** The targets of companies that were merged into this one. */
export const mergedCompanies = ({ fields }: TargetView): readonly string[] =>
  elementsOf(fields, mergedFieldsPrefix).map(companyTarget);

/** The parts of a node that undoing a merge needs; its records may be open in another process. */
export interface UnmergingNode {
  readonly ledger: {
    read(target: string): Promise<TargetView>;
    readAll(targets: readonly string[]): Promise<readonly TargetView[]>;
  };
  readonly records: Pick<Records, "company" | "write">;
}

export interface UnmergeRequest {
  /** The target of the company that stayed. */
  readonly into: string;
  /**
   * The merged company: its former folder, or its target. If only one was merged, any name is
   * accepted.
   */
  readonly name: string;
  readonly source: string;
}

/** Separates merged companies again. */
export async function unmergeCompany(
  { ledger, records }: UnmergingNode,
  { into, name, source }: UnmergeRequest,
): Promise<{ readonly from: string; readonly slug: string }> {
  const kept = await ledger.read(into);
  const merged = mergedCompanies(kept);
  const views = await ledger.readAll(merged);
  const isCalled = (view: TargetView) => view.target === name || slugIn(view) === name;
  const from = views.find(isCalled) ?? (views.length === 1 ? views[0] : undefined);
  if (!from) {
    const which = merged.length > 0 ? `: name one of ${merged.join(", ")}` : "";
    const message = `nothing that is called '${name}' was merged into ${slugIn(kept) ?? into}${which}`;
    throw new AppError("invalid", "records_not_merged", message);
  }
  await records.write(unmergeCommit(from, kept, source));
  return { from: from.target, slug: (await records.company(from.target))?.slug ?? from.target };
}

const slugIn = ({ fields }: TargetView) => textOf(fields.find(({ field }) => field === "slug"));
