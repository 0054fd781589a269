import { parse, type CsvError, type Info } from "csv-parse";
import { AppError } from "../../base/app-error.ts";
import { fieldNames, placeFieldNamed, type FieldName } from "./place-names.ts";
import type { Row } from "./row-shapes.ts";

export interface CsvRow {
  /** The line where the row ends, from 1. */
  readonly line: number;
  readonly row: Row;
}

export interface CsvOptions {
  /** Default: detected. */
  readonly delimiter?: string | undefined;
  /** Field → header, for files with unknown headers. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
}

const recordLengthMax = 2 ** 20;

/**
 * The rows of a CSV file by column name, in batches as they arrive. A last row that is shorter than
 * all others and has no line end is an error: a truncated file must not pass for a whole one.
 */
export async function* csvRows(
  chunks: AsyncIterable<string>,
  { delimiter, columns = {} }: CsvOptions,
): AsyncGenerator<readonly CsvRow[]> {
  let keys: readonly string[] | undefined;
  let parser: CsvParser | undefined;
  let skipped = 0;
  let count = 0;
  let shortCount = 0;
  let last: RawRow | undefined;
  const take = (raw: readonly RawRow[]): readonly CsvRow[] => {
    const isFirst = keys === undefined;
    if (isFirst && raw.length === 0) return [];
    const own = (keys ??= columnKeys(raw[0]!.record, columns));
    const rows = isFirst ? raw.slice(1) : raw;
    count += rows.length;
    for (const { record } of rows) if (record.length < own.length) shortCount += 1;
    last = rows.at(-1) ?? last;
    return rows.map((one) => rowOf(one, own, skipped));
  };
  let head = "";
  let end = "";
  for await (const chunk of chunks) {
    end = chunk.at(-1) ?? end;
    if (!parser) {
      head += chunk;
      if (head.length < sampleLength) continue;
      [parser, skipped] = openParser(head, delimiter);
      yield take(await parser.write(withoutHint(head)));
      continue;
    }
    yield take(await parser.write(chunk));
  }
  if (!parser) {
    [parser, skipped] = openParser(head, delimiter);
    yield take(await parser.write(withoutHint(head)));
  }
  const rest = take(await parser.end());
  const isShort = last !== undefined && last.record.length < (keys?.length ?? 0);
  if (isShort && shortCount === 1 && count > 1 && !/[\r\n]/.test(end)) {
    throw cutShort(last!.info.lines + skipped);
  }
  yield rest;
  if (keys === undefined) throw fault("it is empty: a first line with column names is needed");
}

const sampleLength = 64 * 1024;
/** A first line `sep=;`, as Excel writes it. */
const hint = /^\ufeff?sep=(.)\r?\n/i;
const withoutHint = (text: string): string => text.replace(hint, "");

interface RawRow {
  readonly record: readonly string[];
  readonly info: Info;
}

interface CsvParser {
  write(text: string): Promise<readonly RawRow[]>;
  end(): Promise<readonly RawRow[]>;
}

function openParser(head: string, asked: string | undefined): readonly [CsvParser, number] {
  const hinted = hint.exec(head)?.[1];
  const delimiter = asked ?? hinted ?? delimiterOf(head);
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: recordLengthMax,
  });
  let rows: RawRow[] = [];
  parser.on("data", (row: RawRow) => rows.push(row));
  const drained = () => {
    const taken = rows;
    rows = [];
    return taken;
  };
  // No promise that lives as long as the file may be part of a race: it would keep every row.
  let failure: AppError | undefined;
  let refuse: ((error: AppError) => void) | undefined;
  parser.on("error", (error: CsvError) => {
    failure = translate(error);
    refuse?.(failure);
  });
  const rowsAfter = (begin: (done: () => void) => void) =>
    new Promise<readonly RawRow[]>((resolve, reject) => {
      if (failure) return reject(failure);
      refuse = reject;
      begin(() => resolve(drained()));
    });
  const write = (text: string) => rowsAfter((done) => parser.write(text, done));
  const end = () =>
    rowsAfter((done) => {
      parser.on("end", done);
      parser.end();
    });
  return [{ write, end }, hinted === undefined ? 0 : 1];
}

/**
 * The delimiter that splits the first lines into equal numbers of cells; the one with most cells.
 */
function delimiterOf(text: string): string {
  const lines = text
    .replaceAll(/"[^"]*"/g, "")
    .split(/\r?\n/, 20)
    .filter(Boolean);
  const counts = [",", ";", "\t", "|"].map((one) => {
    const each = lines.map((line) => line.split(one).length - 1);
    const [first = 0] = each;
    const even = each.filter((count) => count === first).length;
    return { one, score: first === 0 ? 0 : first * (even / each.length) };
  });
  return counts.reduce((best, next) => (next.score > best.score ? next : best)).one;
}

/** A second column with the same name keeps its values: the added character occurs in no name. */
function columnKeys(
  headers: readonly string[],
  columns: Readonly<Record<string, string>>,
): readonly string[] {
  const given = new Map(
    Object.entries(columns).map(([field, header]) => {
      if (!Object.hasOwn(fieldNames, field)) {
        const known = Object.keys(fieldNames).join(", ");
        throw fault(`there is no field ${field} to map a column to; there are ${known}`);
      }
      if (!headers.includes(header)) {
        throw fault(`it has no column "${header}"; it has ${listed(headers)}`);
      }
      return [header, field] as const;
    }),
  );
  const seen = new Map<string, number>();
  const keys = headers.map((header) => {
    const key = given.get(header) ?? header;
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return key + "\u0000".repeat(times);
  });
  const fields = new Set<FieldName | undefined>(keys.map(placeFieldNamed));
  const hasPoint = (fields.has("latitude") && fields.has("longitude")) || fields.has("point") || fields.has("wkt"); // prettier-ignore
  const missing = !hasPoint ? "point" : fields.has("name") || fields.has("operator") ? "" : "name";
  if (missing === "point") {
    throw fault(
      `it has no columns for latitude and longitude; it has ${listed(headers)}: name them, ` +
        `as in columns = { latitude = "…", longitude = "…" } or --column latitude=…`,
    );
  }
  if (missing === "name") {
    throw fault(
      `it has no column for the name; it has ${listed(headers)}: name it, as in ` +
        `columns = { name = "…" } or --column name=…`,
    );
  }
  return keys;
}

const listed = (headers: readonly string[]): string => headers.slice(0, 30).join(", ");

function rowOf({ record, info }: RawRow, keys: readonly string[], skipped: number): CsvRow {
  const row: Row = {};
  for (const [at, key] of keys.entries()) {
    const cell = record[at];
    if (cell !== undefined && cell !== "") row[key] = cell;
  }
  return { line: info.lines + skipped, row };
}

function translate(error: CsvError): AppError {
  const lines = (error as { readonly lines?: number }).lines;
  const where = lines === undefined ? "" : `, at line ${lines}`;
  if (error.code === "CSV_QUOTE_NOT_CLOSED") {
    const words = `it ends inside of a quoted cell${where}: get the whole file, or repair the quotes`;
    return new AppError("invalid", "places_file_cut", words, { cause: error });
  }
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    const words = `a row is longer than ${recordLengthMax} characters${where}: is a quote open?`;
    return new AppError("invalid", "places_file", words, { cause: error });
  }
  return new AppError("invalid", "places_file", `it is not CSV: ${error.message}`, {
    cause: error,
  });
}

const cutShort = (line: number) =>
  new AppError(
    "invalid",
    "places_file_cut",
    `it ends in the middle of a row, at line ${line}: get the whole file, or end its last row with a line break`,
  );

const fault = (words: string) => new AppError("invalid", "places_columns", words);
