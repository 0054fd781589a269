import {
  createCompanyWriter,
  type Company,
  type DataLicence,
  type ExportFormat,
  type LegalNotice,
} from "../../records/index.ts";
import type { SiteDownload } from "../site-format.ts";
import type { AddPart } from "./company-parts.ts";

/** The formats that a site offers, and their media types. */
const formats = {
  csv: "text/csv",
  json: "application/json",
  kml: "application/vnd.google-earth.kml+xml",
  geojson: "application/geo+json",
} as const satisfies Partial<Record<ExportFormat, string>>;

/** The length before compression. */
const partLength = 2_000_000;

/** Writes one set of companies as files, while the companies are read. */
export function createDownloads(add: AddPart) {
  const files = (Object.keys(formats) as (keyof typeof formats)[]).map((format) => {
    const writer = createCompanyWriter({ format });
    return { format, writer, text: writer.begin, rows: 0, parts: [] as string[] };
  });
  type File = (typeof files)[number];
  const flush = async (file: File) => {
    file.parts.push(await add(file.text));
    file.text = "";
  };
  return {
    async row(company: Company): Promise<void> {
      for (const file of files) {
        const text = file.writer.row(company);
        if (text === undefined) continue;
        file.text += file.rows === 0 ? text : file.writer.between + text;
        file.rows += 1;
        if (file.text.length >= partLength) await flush(file);
      }
    },
    async end(
      licences: readonly DataLicence[],
      legal: LegalNotice,
    ): Promise<readonly SiteDownload[]> {
      for (const file of files) {
        file.text += file.writer.end(licences, legal);
        if (file.text !== "" || file.parts.length === 0) await flush(file);
      }
      return files.map(({ format, rows, parts }) => ({
        format,
        type: formats[format],
        rows,
        parts,
      }));
    },
  };
}
