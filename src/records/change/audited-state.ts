import type { Ledger } from "../../ledger/index.ts";

/**
 * The state that the audit log compares before and after a change of records: every field with its
 * value. If there are several records, each field is prefixed with its record. Undefined if none
 * has a value.
 */
export async function auditedRecords(
  { read }: Pick<Ledger, "read">,
  targets: readonly string[],
  /** True: prefix fields even for a single record, if nothing else names it. */
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
