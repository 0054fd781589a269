import { parse, TomlError } from "smol-toml";
import { AppError } from "../../base/app-error.ts";
import { nearestHint } from "../../base/text/nearest.ts";
import { locateTomlKeys } from "../../config/index.ts";
import type { Company } from "../fields/company.ts";
import { csvLine, type CsvValue } from "./csv-text.ts";
import {
  companyValue,
  emailExportColumnNames,
  emailValue,
  exportColumnNames,
  type EmailRow,
} from "./export-rows.ts";
import type { ExportWriter } from "./export-writer.ts";

/** The columns that another program expects in a CSV file, and their contents. */
export interface ExportPreset {
  readonly columns: readonly PresetColumn[];
  /** Start with a byte order mark: without it Excel assumes another encoding. */
  readonly hasBom: boolean;
}

export type PresetColumn =
  | { readonly header: string; readonly column: string }
  /** The same value in every row. */
  | { readonly header: string; readonly value: string };

export type PresetOf = "companies" | "emails";

const of = (columns: Readonly<Record<string, string>>): ExportPreset => ({
  columns: Object.entries(columns).map(([header, column]) => ({ header, column })),
  hasBom: true,
});

/** HubSpot matches companies by domain and contacts by e-mail address. */
const builtIn: Readonly<Record<string, Readonly<Record<PresetOf, ExportPreset>>>> = {
  hubspot: {
    companies: of({
      Name: "name",
      "Company domain name": "domain",
      "Phone number": "phone",
      "Street address": "street",
      City: "city",
      "State/Region": "state",
      "Postal code": "zip",
      "Country/Region": "country",
      "Website URL": "website",
      Industry: "categories",
      forager_id: "id",
    }),
    emails: of({
      Email: "email",
      "Company name": "company",
      "Company domain name": "domain",
      "Phone number": "phone",
      City: "city",
      "State/Region": "state",
      "Country/Region": "country",
      forager_id: "id",
    }),
  },
};

export const presetNames: readonly string[] = Object.keys(builtIn);

export const findPreset = (name: string, kind: PresetOf): ExportPreset | undefined =>
  Object.hasOwn(builtIn, name) ? builtIn[name]![kind] : undefined;

const columnsMax = 500;

/**
 * Reads a preset file: `[columns]` with `"Header" = "column"`, or `"Header" = { value = "text" }`
 * for the same text in every row, and `bom`. Throws `export_preset` with file, line, and the
 * expected form.
 */
export function readPreset(text: string, file: string, kind: PresetOf): ExportPreset {
  const known = kind === "companies" ? exportColumnNames : emailExportColumnNames;
  const root = parseToml(text, file);
  const positions = locateTomlKeys(text);
  const problems: string[] = [];
  const wrong = (path: readonly string[], what: string) => {
    const { line = 1 } = positions.find(path) ?? {};
    problems.push(`${file}:${line}: ${what}`);
  };
  for (const key of Object.keys(root)) {
    if (key === "columns" || key === "bom") continue;
    const hint = nearestHint(key, ["columns", "bom"], (close) => `: the nearest is ${close}`);
    wrong([key], `unknown key '${key}'${hint}; a preset has [columns] and bom`);
  }
  const { bom = false, columns } = root;
  if (typeof bom !== "boolean") wrong(["bom"], "bom must be true or false");
  if (typeof columns !== "object" || columns === null || Array.isArray(columns)) {
    wrong(["columns"], `[columns] must say which column goes where: write "Company name" = "name"`);
    throw faulty(problems);
  }
  const entries = Object.entries(columns as Readonly<Record<string, unknown>>);
  if (entries.length === 0) wrong(["columns"], '[columns] is empty: write "Company name" = "name"');
  if (entries.length > columnsMax) wrong(["columns"], `[columns] has more than ${columnsMax}`);
  const found = entries.flatMap(([header, value]): PresetColumn[] => {
    const path = ["columns", header];
    if (header.trim() === "") wrong(path, "a header must not be empty");
    if (typeof value === "string") {
      if (known.includes(value)) return [{ header, column: value }];
      const hint = nearestHint(value, known, (close) => `: the nearest is ${close}`);
      wrong(path, `there is no column '${value}'${hint}; for fixed text write { value = "…" }`);
      return [];
    }
    const fixed =
      typeof value === "object" && value !== null
        ? (value as { value?: unknown }).value
        : undefined;
    if (typeof fixed === "string") return [{ header, value: fixed }];
    wrong(path, `"${header}" must be the name of a column in quotes, or { value = "fixed text" }`);
    return [];
  });
  if (problems.length > 0) throw faulty(problems);
  return { columns: found, hasBom: bom as boolean };
}

function parseToml(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [what = "it is not TOML"] = cause.message.replace(/^Invalid TOML document: /, "").split("\n"); // prettier-ignore
    throw faulty([`${file}:${cause.line}: ${what}`], cause);
  }
}

const shownMax = 10;

function faulty(problems: readonly string[], cause?: unknown): AppError {
  const shown = problems.slice(0, shownMax).join("\n  ");
  const message = problems.length === 1 ? shown : `${problems.length} problems:\n  ${shown}`;
  return new AppError("invalid", "export_preset", message, { cause });
}

/** CSV with the columns of a preset. */
export const createPresetCompanyWriter = (preset: ExportPreset): ExportWriter<Company> =>
  presetWriter(preset, companyValue);

export const createPresetEmailWriter = (preset: ExportPreset): ExportWriter<EmailRow> =>
  presetWriter(preset, emailValue);

function presetWriter<Row>(
  { columns, hasBom }: ExportPreset,
  valueOf: (name: string) => (row: Row) => CsvValue,
): ExportWriter<Row> {
  const values = columns.map((one) => ("column" in one ? valueOf(one.column) : () => one.value));
  return {
    begin: (hasBom ? "\ufeff" : "") + csvLine(columns.map(({ header }) => header)),
    row: (row) => csvLine(values.map((value) => value(row))),
    between: "",
    end: () => "",
  };
}
