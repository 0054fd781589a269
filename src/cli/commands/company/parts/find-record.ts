import { AppError } from "../../../../base/app-error.ts";
import type { NodeReadApi } from "../../../../node/index.ts";
import type { Company, Person, RecordKind } from "../../../../records/index.ts";
import type { ArgumentSpec } from "../../../frame/command.ts";

export const nameArgument = (kind: RecordKind): ArgumentSpec => ({
  name: "name",
  summary: `the ${kind}'s folder (${kind === "company" ? "acme" : "anna-berg"}), an old one, or ${kind}/ID`,
  complete: kind,
});

/** The record with that name. If there is none, the error suggests similar names. */
export async function findRecord(
  { records }: Pick<NodeReadApi, "records">,
  kind: RecordKind,
  name: string,
): Promise<Company | Person> {
  const found = kind === "company" ? await records.company(name) : await records.person(name);
  if (found) return found;
  const words = name.replace(/^.*\//, "");
  const { rows } = await records.search({ kind, words, limit: 3 });
  const slugs = rows.map((row) => (row.kind === "company" ? row.company.slug : row.person.slug));
  const meant =
    slugs.length > 0 ? `did you mean ${slugs.join(", ")}?` : `\`forager ${kind} list\` shows all`;
  throw new AppError("invalid", "record_unknown", `there is no ${kind} '${name}': ${meant}`);
}
