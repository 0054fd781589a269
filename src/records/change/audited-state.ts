import type { Ledger } from "../../ledger/index.ts";

/**
 * What the audit log compares before and after a change of records: every field with its value. Of
 * several records, each field is named with its record. Undefined: none of them has a value.
 */
export async function auditedRecords(
  { read }: Pick<Ledger, "read">,
  targets: readonly string[],
  /** Each field is named with its record also if there is one alone, because nothing else names it. */
  { isNamed = targets.length > 1 }: { readonly isNamed?: boolean } = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const fields: [string, unknown][] = [];
  for (const target of new Set(targets)) {
    const view = await read(target);
    const nameOf = (field: string) => (isNamed ? `${target} ${field}` : field);
    fields.push(...view.fields.map(({ field, value }) => [nameOf(field), value] as [string, unknown])); // prettier-ignore
    if (view.mergedInto !== undefined) fields.push([nameOf("mergedInto"), view.mergedInto]);
  }
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}
