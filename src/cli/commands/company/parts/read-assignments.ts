import { asUsage, usageError } from "../../../../base/usage-error.ts";
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
  const [, name, colon, text] = /^([^=]+?)(:?)=(.*)$/su.exec(assignment) ?? [];
  if (name === undefined || text === undefined) {
    throw usageError(`'${assignment}' is neither FIELD=TEXT nor FIELD:=JSON`);
  }
  if (colon !== ":" && text.trim() === "") {
    throw usageError(`${name} has no value: \`unset\` takes one away`);
  }
  const header = name.trim();
  return [header, colon === ":" ? parse(header, text) : text];
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw usageError(`the value of ${name} is not JSON; for text write ${name}=TEXT`, { cause });
  }
}
