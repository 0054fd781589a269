import { open, stat } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { AppError } from "../../base/app-error.ts";
import { csvRows, type CsvOptions } from "./csv-rows.ts";
import { featureTexts, jsonLines, recordLengthMax, type TextRecord } from "./json-records.ts";
import { readJsonPlace, readRow, type ReadPlace } from "./read-place.ts";

export interface PlaceFileOptions extends CsvOptions {
  readonly file: string;
  /** The text encoding; default: from a byte order mark, else UTF-8. */
  readonly encoding?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of newly read bytes. */
  readonly onBytes?: (bytes: number) => void;
}

export interface FileRecord {
  /** From 1. */
  readonly line: number;
  readonly read: ReadPlace;
}

const chunkBytes = 256 * 1024;

/**
 * All records of a file, in batches: CSV, JSON Lines, a GeoJSON collection or sequence, a JSON
 * array, or a saved answer of Overpass. An unreadable record is returned as bad; a file that cannot
 * be read to its end throws AppError.
 */
export async function* readPlaceFile(
  options: PlaceFileOptions,
): AsyncGenerator<readonly FileRecord[]> {
  const { file, signal } = options;
  try {
    const head = await headOf(file, options.encoding);
    const chunks = decodedChunks(options);
    if (head.format === "csv") {
      for await (const rows of csvRows(chunks, options)) {
        signal?.throwIfAborted();
        yield rows.map(({ line, row }) => ({ line, read: readRow(row) }));
      }
      return;
    }
    const records = head.format === "collection" ? featureTexts(chunks) : jsonLines(chunks);
    for await (const batch of records) {
      signal?.throwIfAborted();
      yield batch.map(fileRecord);
    }
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : unreadable(file, error);
  }
}

const fileRecord = ({ line, text }: TextRecord): FileRecord => ({
  line,
  read: text === undefined ? tooLong : readJsonPlace(text),
});
const tooLong: ReadPlace = {
  kind: "bad",
  reason: `it is longer than ${recordLengthMax} characters`,
};

type Format = "csv" | "lines" | "collection";

/** Detects the format by the first bytes; the file name decides only if they are ambiguous. */
async function headOf(file: string, encoding?: string): Promise<{ readonly format: Format }> {
  if (!(await stat(file)).isFile()) {
    throw new AppError("invalid", "places_file", "it is not a regular file");
  }
  await using handle = await open(file, "r");
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, 0);
  const bytes = buffer.subarray(0, bytesRead);
  const other = otherFormat(bytes);
  if (other !== undefined) throw new AppError("invalid", "places_file", other);
  const decoder = decoderOf(encoding ?? encodingOf(bytes), { fatal: false });
  const text = decoder.decode(bytes).trimStart();
  if (text === "") throw new AppError("invalid", "places_file", "it is empty");
  // oxlint-disable-next-line no-control-regex -- a GeoJSON sequence begins with a record separator
  const isJson = /^[\u001e\ufeff\s]*[[{]/.test(text);
  if (!isJson) return { format: "csv" };
  const isDocument =
    /"type"\s*:\s*"FeatureCollection"/u.test(text) ||
    /^[\ufeff\s]*\[/.test(text) ||
    /^\s*\{\s*"version"\s*:.*"elements"\s*:\s*\[/su.test(text);
  if (isDocument) return { format: "collection" };
  if (!/\.geojson$/iu.test(file)) return { format: "lines" };
  // The type may come at the end of the document; but .geojson files may also have one feature per
  // line.
  const [first = ""] = text.split("\n", 1);
  const isFeature = /"type"\s*:\s*"Feature"/u.test(first) || readJsonPlace(first).kind !== "bad";
  return { format: isFeature ? "lines" : "collection" };
}

const spreadsheet = "it is a spreadsheet or an archive: save it as CSV, or unpack it";
const compressed = "it is compressed: unpack it first";
const notText = "it is neither CSV nor JSON: export it as CSV";
/** Other formats, by their first bytes in hex. */
const otherFormats: Readonly<Record<string, string>> = {
  "504b0304": spreadsheet,
  d0cf11e0: spreadsheet,
  "1f8b": compressed,
  "425a68": compressed,
  fd377a585a: compressed,
  "28b52ffd": compressed,
  "25504446": notText,
  "53514c69746520": notText,
};

/** What a file is that cannot be read as text, and what to do. */
function otherFormat(bytes: Buffer): string | undefined {
  const start = bytes.toString("hex", 0, 8);
  const known = Object.entries(otherFormats).find(([prefix]) => start.startsWith(prefix));
  if (known) return known[1];
  const isMarkup = /^\ufeff?\s*</.test(bytes.toString("utf8", 0, 64));
  return isMarkup
    ? "it is XML or HTML, which is not read: convert it to GeoJSON or CSV"
    : undefined;
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  // UTF-16 without a mark: every second byte of ASCII is 0.
  const [first, second] = [bytes[0] === 0, bytes[1] === 0];
  if (first !== second && bytes[first ? 2 : 3] === 0) return first ? "utf-16be" : "utf-16le";
  return "utf-8";
}

async function* decodedChunks({
  file,
  encoding,
  onBytes,
  signal,
}: PlaceFileOptions): AsyncGenerator<string> {
  await using handle = await open(file, "r");
  let decoder: TextDecoder | undefined;
  let lines = 1;
  for (;;) {
    signal?.throwIfAborted();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes);
    const bytes = buffer.subarray(0, bytesRead);
    decoder ??= decoderOf(encoding ?? encodingOf(bytes), { fatal: true });
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: bytesRead > 0 });
    } catch (cause) {
      const words =
        `it is not ${decoder.encoding} text, after line ${lines}: name its encoding, as in ` +
        `encoding = "windows-1252" or --encoding windows-1252`;
      throw new AppError("invalid", "places_encoding", words, { cause });
    }
    if (text !== "") {
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
      yield text;
    }
    if (bytesRead === 0) return;
    onBytes?.(bytesRead);
  }
}

function decoderOf(encoding: string, options: { readonly fatal: boolean }): TextDecoder {
  try {
    return new TextDecoder(encoding, options);
  } catch (cause) {
    const words = `there is no encoding "${encoding}"; there are utf-8, utf-16le, windows-1252, shift_jis and others`;
    throw new AppError("invalid", "places_encoding", words, { cause });
  }
}

export function unreadable(file: string, cause: unknown): AppError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "there is no such file" : message;
  const isOurs = cause instanceof AppError;
  return new AppError(
    isOurs ? cause.kind : "invalid",
    isOurs ? cause.code : "places_file",
    `cannot read places from ${file}: ${why}`,
    { cause },
  );
}
