import { asUsage, usageError } from "../../../../base/usage-error.ts";
import { parseAssignment } from "../../../options/assignments.ts";
import { readFieldValues, type EditOptions } from "../../../../records/index.ts";

/**
 * Parses the arguments `FIELD=TEXT` and `FIELD:=JSON` into ledger fields; see `readFieldValues`.
 */
export async function readAssignments(
  assignments: readonly string[],
  options: EditOptions,
): Promise<Readonly<Record<string, unknown>>> {
  return asUsage(async () => readFieldValues(assignments.map(valueOf), options));
}

function valueOf(assignment: string): readonly [field: string, value: unknown] {
  const { field, value, isJson } = parseAssignment(assignment);
  if (!isJson && String(value).trim() === "") {
    throw usageError(`${field} has no value: \`unset\` takes one away`);
  }
  return [field, value];
}
