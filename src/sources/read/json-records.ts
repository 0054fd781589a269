import { AppError } from "../../base/app-error.ts";

/** One record of a file, as text. */
export interface TextRecord {
  /** From 1. */
  readonly line: number;
  /** Undefined: it is longer than allowed, and was skipped. */
  readonly text: string | undefined;
}

/** In UTF-16 units, like the length of a string. */
export const recordLengthMax = 2 ** 20;

/**
 * The lines of a JSON Lines file or a GeoJSON sequence, in batches as they arrive. An incomplete
 * last line is an error: a truncated file must not pass for one with fewer places.
 */
export async function* jsonLines(
  chunks: AsyncIterable<string>,
): AsyncGenerator<readonly TextRecord[]> {
  let line = 1;
  let rest = "";
  let isTooLong = false;
  for await (const chunk of chunks) {
    const parts = chunk.split("\n");
    const batch: TextRecord[] = [];
    for (const [at, part] of parts.entries()) {
      const isLast = at === parts.length - 1;
      if (rest.length + part.length > recordLengthMax) [rest, isTooLong] = ["", true];
      else if (!isTooLong) rest += part;
      if (isLast) continue;
      if (isTooLong || !isBlank(rest)) batch.push({ line, text: isTooLong ? undefined : rest });
      [rest, isTooLong] = ["", false];
      line += 1;
    }
    if (batch.length > 0) yield batch;
  }
  if (isTooLong) yield [{ line, text: undefined }];
  else if (!isBlank(rest)) {
    if (!isWhole(rest)) throw cutShort(line);
    yield [{ line, text: rest }];
  }
}

// oxlint-disable-next-line no-control-regex -- a record separator alone is blank too
const isBlank = (text: string): boolean => /^[\s\u001e\ufeff]*$/.test(text);

/**
 * Whether a record is complete. A complete but wrong record is reported with its line; an
 * incomplete one means that the file is truncated.
 */
function isWhole(text: string): boolean {
  const trimmed = text.trimEnd();
  return trimmed.endsWith("}") || trimmed.endsWith("]") || !/[[{]/.test(trimmed);
}

const [quote, backslash] = [0x22, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const lineFeed = 0x0a;

/**
 * The records of a file that is one JSON document: every object directly in its list, found by
 * counting brackets outside strings. The list is the document itself, or `"features"` (GeoJSON), or
 * `"elements"` (Overpass). Holds one record in memory at a time. Throws if the text is truncated,
 * has no such list, or is an answer of Overpass that says it is incomplete.
 */
export async function* featureTexts(
  chunks: AsyncIterable<string>,
): AsyncGenerator<readonly TextRecord[]> {
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  /** Depth inside the list; 0 before it, -1 after it. */
  let listDepth = 0;
  let key = "";
  let lastKey = "";
  let parts: string[] = [];
  let size = 0;
  let startLine: number | undefined;
  let line = 1;
  for await (const chunk of chunks) {
    let from = 0;
    const batch: TextRecord[] = [];
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (code === lineFeed) line += 1;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) {
          isString = false;
          if (lastKey === "remark" && key.startsWith("runtime er")) throw incomplete();
          lastKey = key;
        } else if (depth === 1 && key.length < 10) key += chunk[at];
        continue;
      }
      if (code === quote && listDepth > 0 && depth === listDepth) throw noObjects(line);
      if (code === quote) [isString, key] = [true, ""];
      else if (code === openBrace || code === openBracket) {
        const isList = depth === 0 || (depth === 1 && listKeys.has(lastKey));
        if (code === openBracket && isList && listDepth === 0) listDepth = depth + 1;
        else if (code === openBrace && depth === listDepth && listDepth > 0) {
          startLine = line;
          [parts, size, from] = [[], 0, at];
        }
        depth += 1;
      } else if (code === closeBrace || code === closeBracket) {
        depth -= 1;
        if (startLine !== undefined && depth === listDepth) {
          size += at + 1 - from;
          if (size <= recordLengthMax) parts.push(chunk.slice(from, at + 1));
          batch.push({
            line: startLine,
            text: size > recordLengthMax ? undefined : parts.join(""),
          });
          startLine = undefined;
        } else if (listDepth > 0 && depth === listDepth - 1) listDepth = -1;
      }
    }
    if (startLine !== undefined) {
      size += chunk.length - from;
      if (size <= recordLengthMax) parts.push(chunk.slice(from));
      else parts = [];
    }
    if (batch.length > 0) yield batch;
  }
  if (listDepth === 0) {
    throw new AppError("invalid", "places_file", "it has no list of features or elements");
  }
  if (depth !== 0 || isString) throw cutShort(line);
}

const listKeys: ReadonlySet<string> = new Set(["features", "elements"]);

const incomplete = () =>
  new AppError(
    "invalid",
    "places_file_cut",
    "it is an answer of Overpass that ended with a runtime error (see its remark): ask for it again",
  );

const noObjects = (line: number) =>
  new AppError("invalid", "places_file", `its list has texts instead of objects, at line ${line}`);

const cutShort = (line: number) =>
  new AppError(
    "invalid",
    "places_file_cut",
    `it ends in the middle of a record, at line ${line}: get the whole file`,
  );
