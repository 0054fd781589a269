import { usageError } from "../../../base/usage-error.ts";
import { columnOf, importFields, readCompany } from "../../../records/index.ts";
import type { ImportCell, RecordKind } from "../../../records/index.ts";
import { nearestHint } from "../../../base/nearest.ts";

export interface AssignmentOptions {
  readonly kind: RecordKind;
  /** Of a new record: who tells its web site need not tell its domain. */
  readonly isNew: boolean;
  readonly country: string | undefined;
  readonly nowMs: number;
}

/**
 * Reads `FIELD=TEXT` and `FIELD:=JSON` of a command line into fields as the ledger has them. Known
 * fields are checked and tidied as in an import; `email=…` and its like add to their list; `x/NAME`
 * is anything of one's own.
 */
export function readAssignments(
  assignments: readonly string[],
  { kind, isNew, country, nowMs }: AssignmentOptions,
): Readonly<Record<string, unknown>> {
  const cells = assignments.map((assignment) => cellOf(assignment, kind));
  const at = new Date(nowMs).toISOString();
  const { fields, problems } = readCompany(cells, {
    country,
    at,
    derivesDomain: isNew && kind === "company",
  });
  if (problems[0] !== undefined) throw usageError(problems[0]);
  return fields;
}

function cellOf(assignment: string, kind: RecordKind): ImportCell {
  const [, name, colon, text] = /^([^=]+?)(:?)=(.*)$/su.exec(assignment) ?? [];
  if (name === undefined || text === undefined) {
    throw usageError(`'${assignment}' is neither FIELD=TEXT nor FIELD:=JSON`);
  }
  if (colon !== ":" && text.trim() === "") {
    throw usageError(`${name} has no value: \`unset\` takes one away`);
  }
  const header = name.trim();
  const isOwn = header.startsWith("x/");
  const column =
    kind === "person" && header === "role"
      ? ({ header, field: "role", kind: "text" } as const)
      : columnOf(header, isOwn ? { mappings: [`${header}=${header}`] } : {});
  if (!column || header === "extra" || header === "entries") throw unknownField(header);
  return [column, colon === ":" ? parse(header, text) : text];
}

export function unknownField(name: string): Error {
  const hint = nearestHint(name, importFields, (close) => `: the nearest is ${close}`);
  return usageError(`there is no field '${name}'${hint}; x/${name} would be one of your own`);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw usageError(`the value of ${name} is not JSON; for text write ${name}=TEXT`, { cause });
  }
}
