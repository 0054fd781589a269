import { xmlText } from "../../base/text/xml-text.ts";
import type { Company } from "../fields/company.ts";
import { csvLine } from "./csv-text.ts";
import {
  columnValues,
  companyCard,
  companyColumnNames,
  companyObject,
  emailCard,
  emailCsvHeader,
  emailCsvLine,
  emailObject,
  type EmailRow,
} from "./export-rows.ts";

export const exportFormats = ["csv", "json", "jsonl", "vcf", "geojson", "kml"] as const;
export type ExportFormat = (typeof exportFormats)[number];
/** An address has no coordinates, so map formats are missing. */
export const emailExportFormats = ["csv", "json", "jsonl", "vcf"] as const;

/** Writes rows as text in three steps: begin, rows, end. */
export interface ExportWriter<Row> {
  readonly begin: string;
  /** Undefined if the format cannot show this row (a map, and it has no coordinates). */
  row(row: Row): string | undefined;
  /** The text between two rows. */
  readonly between: string;
  /** Adds the required attributions, if the format has a place for them. */
  end(licences: readonly DataLicence[], legal?: LegalNotice): string;
}

/** The organization responsible for personal data in an export. Absent: not configured. */
export interface LegalNotice {
  readonly controller?: string | undefined;
  readonly contact?: string | undefined;
  readonly basis?: string | undefined;
  readonly noticeUrl?: string | undefined;
}

/** `Controller: …`, one line for each configured part. */
export function legalLines(legal: LegalNotice): readonly string[] {
  const names = {
    controller: "Controller",
    contact: "Contact",
    basis: "Legal basis",
    noticeUrl: "Privacy notice",
  } as const;
  return (Object.keys(names) as (keyof typeof names)[]).flatMap((key) =>
    legal[key] === undefined ? [] : [`${names[key]}: ${legal[key]}`],
  );
}

/** The licence of open data that is in an export. */
export interface DataLicence {
  readonly text: string;
  readonly licence: string;
  readonly url: string;
}

export interface CompanyWriterOptions {
  readonly format: ExportFormat;
  /** The columns and their order; default: the standard ones, or for JSON all known fields. */
  readonly columns?: readonly string[] | undefined;
  /** A byte order mark: without it older versions of Excel assume another encoding. */
  readonly hasBom?: boolean;
}

/** Throws `export_columns` for an unknown column. */
export function createCompanyWriter(options: CompanyWriterOptions): ExportWriter<Company> {
  const { format, columns = companyColumnNames, hasBom = false } = options;
  const valuesOf = columnValues(columns);
  const chosen = (company: Company) => namedValues(columns, valuesOf(company));
  const object = options.columns === undefined ? companyObject : chosen;
  switch (format) {
    case "csv":
      return {
        ...plain((company) => csvLine(valuesOf(company))),
        begin: `${hasBom ? "\ufeff" : ""}${csvLine(columns)}`,
      };
    case "vcf":
      return plain(companyCard);
    case "geojson":
      return {
        begin: '{"type":"FeatureCollection","features":[',
        row: (company) => featureOf(company, chosen),
        between: ",",
        end: (licences, legal = {}) => `\n]${licenceMember(licences)}${legalMember(legal)}}\n`,
      };
    case "kml":
      return {
        begin: `${kmlBegin}<Document>\n<name>Companies</name>\n`,
        row: (company) => placemarkOf(company, chosen),
        between: "",
        end: (licences, legal = {}) =>
          `${kmlLicences(licences)}${kmlLegal(legal)}</Document>\n</kml>\n`,
      };
    case "json":
    case "jsonl":
      return jsonWriter(format, object);
  }
}

export function createEmailWriter(
  format: (typeof emailExportFormats)[number],
  { hasBom = false } = {},
): ExportWriter<EmailRow> {
  if (format === "csv") {
    return { ...plain(emailCsvLine), begin: `${hasBom ? "\ufeff" : ""}${emailCsvHeader()}` };
  }
  return format === "vcf" ? plain(emailCard) : jsonWriter(format, emailObject);
}

const plain = <Row>(row: (row: Row) => string): ExportWriter<Row> => ({
  begin: "",
  row,
  between: "",
  end: () => "",
});

type Values = Readonly<Record<string, unknown>>;

const jsonWriter = <Row>(
  format: "json" | "jsonl",
  object: (row: Row) => Values,
): ExportWriter<Row> =>
  format === "jsonl"
    ? plain((row) => `${JSON.stringify(object(row))}\n`)
    : {
        begin: "[",
        row: (row) => `\n${JSON.stringify(object(row))}`,
        between: ",",
        end: () => "\n]\n",
      };

/** Leaves out unknown values. */
const namedValues = (names: readonly string[], values: readonly unknown[]): Values =>
  Object.fromEntries(
    names.flatMap((name, at) => {
      const value = values[at];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );

/** RFC 7946: longitude first, in degrees of WGS 84. */
function featureOf(company: Company, values: (company: Company) => Values): string | undefined {
  const { latitude, longitude } = company.numbers;
  if (latitude === undefined || longitude === undefined) return undefined;
  const { latitude: _latitude, longitude: _longitude, ...properties } = values(company);
  return `\n${JSON.stringify({
    type: "Feature",
    id: company.target,
    geometry: { type: "Point", coordinates: [longitude, latitude] },
    properties,
  })}`;
}

export const kmlBegin = `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n`;

/** The schema prescribes this order of elements: name, ExtendedData, geometry. */
function placemarkOf(company: Company, values: (company: Company) => Values): string | undefined {
  const { latitude, longitude } = company.numbers;
  if (latitude === undefined || longitude === undefined) return undefined;
  const { name: _name, latitude: _latitude, longitude: _longitude, ...data } = values(company);
  return (
    `<Placemark><name>${xmlText(company.name)}</name>${kmlData(data)}` +
    `<Point><coordinates>${longitude},${latitude}</coordinates></Point></Placemark>\n`
  );
}

/**
 * A foreign member, as RFC 7946 §6.1 allows. It comes after the features, because exports are
 * streamed.
 */
export const licenceMember = (licences: readonly DataLicence[]): string =>
  licences.length === 0 ? "" : `,"licences":${JSON.stringify(licences)}`;

const legalMember = (legal: LegalNotice): string =>
  legalLines(legal).length === 0 ? "" : `,"legal":${JSON.stringify(legal)}`;

const kmlLegal = (legal: LegalNotice): string =>
  legalLines(legal).length === 0
    ? ""
    : `<Folder><name>Legal notice</name><description>${xmlText(legalLines(legal).join("\n"))}</description></Folder>\n`;

/** A folder without a placemark: programs list its name and show the text. */
export const kmlLicences = (licences: readonly DataLicence[]): string =>
  licences.length === 0
    ? ""
    : `<Folder><name>${xmlText(licences.map(({ text }) => text).join(", "))}</name><description>${xmlText(
        licences.map(({ text, licence, url }) => `${text} (${licence}), ${url}`).join("\n"),
      )}</description></Folder>\n`;

export function kmlData(values: Values): string {
  const all = Object.entries(values).map(
    ([name, value]) =>
      `<Data name="${xmlText(name)}"><value>${xmlText(String(value))}</value></Data>`,
  );
  return all.length === 0 ? "" : `<ExtendedData>${all.join("")}</ExtendedData>`;
}
