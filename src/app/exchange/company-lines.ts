import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import {
  columnOf,
  companyKeyOf,
  createCsvReader,
  derivedColumns,
  planColumns,
  readCompany,
  type ImportCell,
  type ColumnOptions,
  type CompanyRead,
  type ImportColumn,
} from "../../records/index.ts";
import { cardObjects, listedObjects, type CompanyObject } from "./company-objects.ts";
import { readLines } from "../../base/files/read-lines.ts";
import { placeFieldNamed } from "../../sources/index.ts";

/** One company read from a line of a file. */
export interface CompanyLine extends CompanyRead {
  readonly line: number;
  /** Derived from the content: importing the same line again gives the same company. */
  readonly key: string;
  /** For an export of ours: the company it came from, `company/ID`, and its folder. */
  readonly target?: string;
  readonly slug?: string;
  /** The reason why the line is not a company; then it has no fields. */
  readonly fault?: string;
}

export interface LineOptions extends ColumnOptions {
  readonly format: "csv" | "jsonl" | "json" | "geojson" | "vcf";
  readonly encoding: string;
  readonly delimiter?: string | undefined;
  readonly country?: string | undefined;
  /** The time for notes without a date. */
  readonly at: string;
}

export interface CompanyLines {
  /** Batches of a few hundred lines, as the file is read. */
  readonly batches: AsyncIterable<readonly CompanyLine[]>;
  /** The field of each column; known after the first batch. */
  mapped(): ReadonlyMap<string, string>;
  leftOut(): ReadonlySet<string>;
}

/** The readers of places files know headers in ten languages; this maps their fields to ours. */
const fieldsOfPlaces: Readonly<Record<string, string>> = {
  phones: "phone",
  emails: "email",
  ...Object.fromEntries(
    ["name", "latitude", "longitude", "address", "street", "city", "zip", "state", "country"]
      .concat(["timezone", "website", "description", "rating", "reviews", "hours"])
      .map((field) => [field, field]),
  ),
};
const fieldOfPlaces = (header: string): string | undefined =>
  fieldsOfPlaces[placeFieldNamed(header) ?? ""];

const lineBytesMax = 16 * 1024 * 1024;

export function readCompanyLines(
  chunks: AsyncIterable<Buffer>,
  options: LineOptions,
): CompanyLines {
  const mapped = new Map<string, string>();
  const leftOut = new Set<string>();
  const note = (header: string, column: ImportColumn | undefined) => {
    if (column) mapped.set(header, column.field);
    else leftOut.add(header);
  };
  const read = options.format === "csv" ? readCsv : readObjects;
  return {
    batches: read(chunks, options, note),
    mapped: () => mapped,
    leftOut: () => leftOut,
  };
}

type Note = (header: string, column: ImportColumn | undefined) => void;

async function* readCsv(chunks: AsyncIterable<Buffer>, options: LineOptions, note: Note) {
  const reader = createCsvReader(
    options.delimiter === undefined ? {} : { delimiter: options.delimiter },
  );
  let columns: readonly (ImportColumn | undefined)[] | undefined;
  const lineOf = (line: number, values: readonly string[]): CompanyLine => {
    if (
      values.length > columns!.length &&
      values.slice(columns!.length).some((one) => one !== "")
    ) {
      const words = `it has ${values.length} cells, and the header ${columns!.length}`;
      return faulty(line, `${words}: is a cell with a comma not quoted?`);
    }
    const cells = columns!.flatMap((column, at): ImportCell[] =>
      column && values[at] !== undefined ? [[column, values[at]]] : [],
    );
    return companyLine(line, cells, options);
  };
  const linesOf = (rows: ReturnType<typeof reader.push>) =>
    rows.flatMap(({ line, cells }): CompanyLine[] => {
      // Empty rows of a spreadsheet consist of separators only.
      if (cells.every((cell) => cell.trim() === "")) return [];
      if (columns) return [lineOf(line, cells)];
      const headers = cells.map((cell) => cell.trim());
      columns = planColumns(headers, { ...options, fieldNamed: fieldOfPlaces }).columns;
      const derived = derivedColumns(headers);
      for (const [at, header] of headers.entries()) {
        if (header !== "" && !derived.has(header)) note(header, columns[at]);
      }
      return [];
    });
  for await (const text of decodeText(chunks, options.encoding)) yield linesOf(reader.push(text));
  yield linesOf(reader.end());
}

async function* readObjects(chunks: AsyncIterable<Buffer>, options: LineOptions, note: Note) {
  const columns = new Map<string, ImportColumn | undefined>();
  const columnFor = (header: string) => {
    if (!columns.has(header)) {
      columns.set(header, columnOf(header, { ...options, fieldNamed: fieldOfPlaces }));
      note(header, columns.get(header));
    }
    return columns.get(header);
  };
  for await (const batch of objectsIn(chunks, options)) {
    yield batch.map(({ line, value, fault }): CompanyLine => {
      if (!value) return faulty(line, fault ?? "it is not an object");
      const derived = derivedColumns(Object.keys(value));
      const cells = Object.entries(value).flatMap(([header, one]): ImportCell[] => {
        if (derived.has(header)) return [];
        const column = columnFor(header);
        return column ? [[column, one]] : [];
      });
      return companyLine(line, cells, options);
    });
  }
}

function objectsIn(
  chunks: AsyncIterable<Buffer>,
  { format, encoding }: LineOptions,
): AsyncIterable<readonly CompanyObject[]> {
  if (format === "vcf") return cardObjects(decodeText(chunks, encoding));
  return format === "jsonl" ? jsonLines(chunks) : listedObjects(decodeText(chunks, encoding));
}

async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly CompanyObject[]> {
  for await (const { lines } of readLines(chunks, lineBytesMax)) {
    yield lines.flatMap(({ number, bytes }): CompanyObject[] => {
      const line = number;
      if (!bytes) return [{ line, fault: `it is longer than ${lineBytesMax} bytes` }];
      const text = bytes.toString("utf8").replace(/^\ufeff/, "").trim(); // prettier-ignore
      if (text === "") return [];
      const value = parse(text);
      if (value instanceof SyntaxError)
        return [{ line, fault: `it is not JSON: ${value.message}` }];
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return [{ line, fault: "it is not a JSON object" }];
      }
      return [{ line, value: value as Readonly<Record<string, unknown>> }];
    });
  }
}

function companyLine(
  line: number,
  cells: readonly ImportCell[],
  options: LineOptions,
): CompanyLine {
  const ours = companyKeyOf(cells);
  // For a known company, the stored domain decides; it is not derived from the website.
  const derivesDomain = ours.target === undefined;
  const { fields, problems } = readCompany(cells, { ...options, derivesDomain });
  const isSomebody = ["name", "domain", "place"].some((field) => fields[field] !== undefined);
  if (!isSomebody) {
    const why = problems.length > 0 ? ` (${problems.join("; ")})` : "";
    return faulty(line, `it has no name, no domain and no place${why}`);
  }
  const sorted = Object.entries(fields)
    // The key of a note contains its text. The time would differ with each import.
    .map(([field, value]) => [field, field.startsWith("note/") ? true : value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const key = createHash("sha256").update(JSON.stringify(sorted)).digest("hex").slice(0, 32);
  return { line, fields, problems, key, ...ours };
}

const faulty = (line: number, fault: string): CompanyLine => ({
  line,
  fields: {},
  problems: [],
  key: "",
  fault,
});

/**
 * Decodes text as it is read. An invalid byte is an error and not replaced, because a name would be
 * damaged.
 */
export async function* decodeText(chunks: AsyncIterable<Buffer>, encoding: string) {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let bytes = 0;
  const decode = (chunk?: Buffer) => {
    decoder ??= new TextDecoder(markedEncoding(chunk) ?? encoding, {
      fatal: true,
      ignoreBOM: true,
    });
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      const message =
        `the file is not ${encoding}, somewhere after byte ${bytes}: save it as UTF-8, or give ` +
        `its encoding, such as --encoding windows-1252`;
      throw new AppError("invalid", "import_encoding", message, { cause });
    }
  };
  for await (const chunk of chunks) {
    yield decode(chunk);
    bytes += chunk.length;
  }
  yield decode();
}

/** Spreadsheets that save as Unicode text write UTF-16 with a byte order mark. */
function markedEncoding(chunk: Buffer | undefined): string | undefined {
  const mark = chunk?.subarray(0, 2).toString("hex");
  return mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return error as SyntaxError; // JSON.parse throws no other error
  }
}
