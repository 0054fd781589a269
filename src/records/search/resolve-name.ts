import { AppError } from "../../base/app-error.ts";
import { layoutOf, recordFile } from "../files/layout.ts";
import { normalDomain } from "../fields/identity.ts";
import type { RecordLookup, RenderMark } from "./record-index.ts";
import type { RecordKind } from "../records.ts";

/**
 * The target for a slug, an alias, a folder, a file, a target or an id; or for a domain or a place
 * that one company alone has. Undefined if there is none.
 */
export function resolveName(
  index: Pick<RecordLookup, "bySlug" | "find" | "byDomain" | "byPlace">,
  kind: RecordKind,
  name: string,
): string | undefined {
  const { folder } = layoutOf(kind);
  const slug = name.replace(`${folder}/`, "").replace(/\/(?:_index\.md)?$/, "");
  const target = index.bySlug(kind, slug);
  if (target !== undefined) return target;
  for (const one of [name, `${kind}/${name}`]) {
    if (one.startsWith(`${kind}/`) && index.find(one)) return one;
  }
  if (kind !== "company") return undefined;
  const found = new Set([...index.byDomain(normalDomain(name)), ...index.byPlace(name)]);
  return found.size === 1 ? [...found][0] : undefined;
}

/** The same, or throws AppError `records_unknown`. */
export function mustResolveName(
  index: Parameters<typeof resolveName>[0],
  kind: RecordKind,
  name: string,
): string {
  const target = resolveName(index, kind, name);
  if (target === undefined) throw unknownRecord(kind, name);
  return target;
}

export const unknownRecord = (kind: RecordKind, name: string) =>
  new AppError(
    "invalid",
    "records_unknown",
    `there is no ${kind} called "${name.slice(0, 80)}": \`forager ${kind} search\` finds them`,
  );

/** The path of a rendered record, relative to the data folder. */
export const recordFileOf = ({ folder }: RenderMark): string => `${folder}/${recordFile}`;
