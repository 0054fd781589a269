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
/** An address has no place on a map. */
export const emailExportFormats = ["csv", "json", "jsonl", "vcf"] as const;

/** How rows become text, piece by piece: begin, rows, end. */
export interface ExportWriter<Row> {
  readonly begin: string;
  /** Undefined: the format cannot show this one (a map, and it has no point). */
  row(row: Row): string | undefined;
  /** Between two rows. */
  readonly between: string;
  /** Says what has to be shown beside the data, if the format has a place for it. */
  end(licences: readonly DataLicence[], legal?: LegalNotice): string;
}

/** Who is responsible for personal data in an export. Absent: not set. */
export interface LegalNotice {
  readonly controller?: string | undefined;
  readonly contact?: string | undefined;
  readonly basis?: string | undefined;
  readonly noticeUrl?: string | undefined;
}

/** `Controller: …`, one line for each part that is set. */
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

/** Of open data that is in an export. */
export interface DataLicence {
  readonly text: string;
  readonly licence: string;
  readonly url: string;
}

export interface CompanyWriterOptions {
  readonly format: ExportFormat;
  /** Which columns, in which order; absent: the usual ones, and of JSON all that is known. */
  readonly columns?: readonly string[] | undefined;
  /** A byte order mark: older versions of Excel take CSV for another encoding without it. */
  readonly hasBom?: boolean;
}

/** Throws `export_columns` for a column that is not known. */
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

/** What is not known is left out. */
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

/** The order of elements is that of the schema: name, ExtendedData, geometry. */
function placemarkOf(company: Company, values: (company: Company) => Values): string | undefined {
  const { latitude, longitude } = company.numbers;
  if (latitude === undefined || longitude === undefined) return undefined;
  const { name: _name, latitude: _latitude, longitude: _longitude, ...data } = values(company);
  return (
    `<Placemark><name>${xmlText(company.name)}</name>${kmlData(data)}` +
    `<Point><coordinates>${longitude},${latitude}</coordinates></Point></Placemark>\n`
  );
}

/** A foreign member, as RFC 7946 §6.1 allows: it follows the features, because exports are streamed. */
export const licenceMember = (licences: readonly DataLicence[]): string =>
  licences.length === 0 ? "" : `,"licences":${JSON.stringify(licences)}`;

const legalMember = (legal: LegalNotice): string =>
  legalLines(legal).length === 0 ? "" : `,"legal":${JSON.stringify(legal)}`;

const kmlLegal = (legal: LegalNotice): string =>
  legalLines(legal).length === 0
    ? ""
    : `<Folder><name>Legal notice</name><description>${xmlText(legalLines(legal).join("\n"))}</description></Folder>\n`;

/** A folder without a placemark: programs list it by its name, and show the text. */
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
