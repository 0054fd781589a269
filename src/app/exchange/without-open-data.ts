import { createHash } from "node:crypto";
import type { TargetView } from "../../ledger/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import {
  companyOf,
  companyTarget,
  idOf,
  mergedCompanies,
  type Company,
} from "../../records/index.ts";
import { openDataOf } from "../../sources/index.ts";

export interface WithoutOptions {
  readonly ledger: Pick<NodeReadApi["ledger"], "readAll">;
  /** Names of open data sources, such as `osm`. */
  readonly names: ReadonlySet<string>;
}

/**
 * Removes the values whose only source is open data with these names. A value that a merged company
 * has from another source replaces it. Undefined if neither a name nor a domain is left.
 */
export async function withoutOpenData(
  companies: readonly Company[],
  { ledger, names }: WithoutOptions,
): Promise<readonly (Company | undefined)[]> {
  const views = await ledger.readAll(companies.map(({ target }) => target));
  const merged = await ledger.readAll(views.flatMap(mergedCompanies));
  const viewOf = new Map(merged.map((view) => [view.target, view]));
  return views.map((view) => {
    const others = mergedCompanies(view).flatMap((target) => viewOf.get(target) ?? []);
    return companyWithout(view, others, names);
  });
}

function companyWithout(
  view: TargetView,
  merged: readonly TargetView[],
  without: ReadonlySet<string>,
): Company | undefined {
  const isKept = ({ field, source }: TargetView["fields"][number]): boolean =>
    !without.has(openDataOf(source) ?? "") &&
    !(field.startsWith("place/") && without.has(openDataOf(field.slice("place/".length)) ?? ""));
  const fields = new Map(view.fields.filter(isKept).map((one) => [one.field, one]));
  const dropped = new Set(view.fields.filter((one) => !isKept(one)).map(({ field }) => field));
  for (const other of merged) {
    for (const one of other.fields) {
      if (dropped.has(one.field) && isKept(one) && !fields.has(one.field))
        fields.set(one.field, one);
    }
  }
  if (!fields.has("name") && !fields.has("domain")) return undefined;
  const target = ownTarget(view.target, without);
  return companyOf({ ...view, target, fields: [...fields.values()] });
}

/** The id of a company that was created from a place contains the id of that place. */
function ownTarget(target: string, without: ReadonlySet<string>): string {
  const [name = ""] = idOf(target).split(".", 1);
  if (!without.has(name)) return target;
  return companyTarget(`x-${createHash("sha256").update(target).digest("hex").slice(0, 20)}`);
}
