import { AppError } from "../../base/app-error.ts";
import { nearestHint } from "../../base/text/nearest.ts";
import type { Company } from "../fields/company.ts";
import { columnOf, importFields } from "../exchange/import-columns.ts";
import { readCompany, type ImportCell } from "../exchange/read-company.ts";
import {
  companyPrefix,
  entryKinds,
  extraPrefix,
  listPrefixes,
  numberFields,
  personPrefix,
  socialPrefix,
  textFields,
} from "../fields/fields.ts";
import { layoutOf } from "../files/layout.ts";
import { personTextFields, type Person } from "../fields/person.ts";
import type { RecordKind } from "../records.ts";
import { keyMeant } from "../ingest/spellings.ts";

export interface EditOptions {
  readonly kind: RecordKind;
  /** True for a new record: its domain is derived from its website. */
  readonly isNew: boolean;
  /** Two letters, for phone numbers without a country code. */
  readonly country: string | undefined;
  readonly nowMs: number;
}

/**
 * Converts what a user typed for fields to ledger values. Known fields are checked and normalized
 * as in an import; `email` and similar fields add to a list; `x/NAME` is a custom field. Throws
 * `invalid` for an unknown field and for a value that cannot be read.
 */
export function readFieldValues(
  values: readonly (readonly [field: string, value: unknown])[],
  { kind, isNew, country, nowMs }: EditOptions,
): Readonly<Record<string, unknown>> {
  const cells = values.map(([field, value]): ImportCell => [columnFor(kind, field), value]);
  const at = new Date(nowMs).toISOString();
  const derivesDomain = isNew && kind === "company";
  const { fields, problems } = readCompany(cells, { country, at, derivesDomain });
  if (problems[0] !== undefined) throw new AppError("invalid", "bad_value", problems[0]);
  return fields;
}

function columnFor(kind: RecordKind, header: string): ImportCell[0] {
  const isOwn = header.startsWith("x/");
  const meant = isOwn ? keyMeant(layoutOf(kind).spellings, header.slice(2)) : undefined;
  if (meant !== undefined) throw namedLikeAField(header, meant);
  const column =
    kind === "person" && header === "role"
      ? ({ header, field: "role", kind: "text" } as const)
      : columnOf(header, isOwn ? { mappings: [`${header}=${header}`] } : {});
  const isOfImports = ["key", "elements", "extras", "entries"].includes(column?.kind ?? "");
  if (!column || isOfImports) throw unknownField(header);
  return column;
}

function unknownField(name: string): AppError {
  const hint = nearestHint(name, importFields, (close) => `: the nearest is ${close}`);
  const message = `there is no field '${name}'${hint}; x/${name} would be one of your own`;
  return new AppError("invalid", "unknown_field", message);
}

/**
 * In the file, this custom field would have the key of the known field and would be read as that
 * field.
 */
function namedLikeAField(header: string, meant: string): AppError {
  const field = columnOf(meant)?.field ?? meant;
  const message = `${header} cannot be a field of your own: in a file, ${header.slice(2)} means ${meant}; set ${field}= instead`; // prettier-ignore
  return new AppError("invalid", "unknown_field", message);
}

/** The field whose value is to be removed. Throws `invalid` if this is ambiguous. */
export function fieldToUnset(record: Company | Person, field: string): string {
  const list = Object.entries(listPrefixes).find(([, prefix]) => prefix === `${field}/`);
  if (list) throw oneOfList(record, field, list);
  if (field === "name") {
    throw new AppError("invalid", "name_needed", "a record needs a name: `set` changes it");
  }
  const isElement = elementPrefixes.some((one) => field.startsWith(one) && field !== one);
  const isEntry = entryKinds.some((one) => field.startsWith(`${one}/`));
  const isText =
    Object.hasOwn(record.texts, field) ||
    ("numbers" in record && Object.hasOwn(record.numbers, field));
  if (isElement || isEntry || isText || knownFields.has(field)) return field;
  // Accepts the spellings of JSON, of the file, and of a column.
  const network = field.replace(/^(?:socials\.|social_)/, "");
  if (network !== field || Object.hasOwn(record.socials, network)) return `social/${network}`;
  throw unknownField(field);
}

/** `email` alone means the whole list; the user has to name one element. */
function oneOfList(
  record: Company | Person,
  field: string,
  [list, prefix]: readonly [string, string],
): AppError {
  const values = (record as unknown as Readonly<Record<string, readonly unknown[]>>)[list] ?? [];
  const shown = values.map(
    (one) => prefix + (typeof one === "string" ? one : (one as { value: string }).value),
  );
  const message =
    shown.length > 0
      ? `which ${field}? there is ${shown.join(", ")}`
      : `${record.slug} has no ${field}`;
  return new AppError("invalid", "which_element", message);
}

const elementPrefixes = [
  ...Object.values(listPrefixes),
  socialPrefix,
  personPrefix,
  companyPrefix,
  extraPrefix,
];

const knownFields: ReadonlySet<string> = new Set([
  "description",
  ...textFields,
  ...numberFields,
  ...personTextFields,
]);
