/** Where one record of a file stands, and its bytes. */
export interface RecordRange {
  /** From 1. */
  readonly line: number;
  readonly start: number;
  /** Undefined: it is longer than allowed, and was passed over. */
  readonly bytes: Buffer | undefined;
}

export const recordBytesMax = 2 ** 20;

const lineFeed = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The lines of a file of JSON lines, also of a GeoJSON sequence. Holds one record at a time. */
export async function* lineRanges(chunks: AsyncIterable<Buffer>): AsyncGenerator<RecordRange> {
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  let start = 0;
  const keep = (part: Buffer) => {
    size += part.length;
    if (size > recordBytesMax) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): RecordRange => ({
    line,
    start,
    bytes: size > recordBytesMax ? undefined : Buffer.concat(parts),
  });
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      keep(chunk.subarray(from, end));
      if (size > 0) yield take();
      start += size + 1;
      line += 1;
      [parts, size, from] = [[], 0, end + 1];
    }
    keep(chunk.subarray(from));
  }
  if (size > 0) yield take();
}

/**
 * The features of a GeoJSON FeatureCollection: every object that is directly in the list of
 * `"features"`, found by counting brackets outside of strings. Holds one of them at a time. Throws
 * where the text ends in the middle, or has no such list: a file cut short must not pass for one
 * with fewer places.
 */
export async function* featureRanges(chunks: AsyncIterable<Buffer>): AsyncGenerator<RecordRange> {
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  /** Depth inside the list of features; 0 before it, -1 after it. */
  let listDepth = 0;
  let key = "";
  let lastKey = "";
  let parts: Buffer[] = [];
  let size = 0;
  let record: { readonly line: number; readonly start: number } | undefined;
  let [line, offset] = [1, 0];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === lineFeed) line += 1;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) {
          isString = false;
          lastKey = key;
        } else if (depth === 1 && key.length < 10) key += String.fromCharCode(byte);
        continue;
      }
      if (byte === quote) [isString, key] = [true, ""];
      else if (byte === openBrace || byte === openBracket) {
        if (byte === openBracket && depth === 1 && lastKey === "features" && listDepth === 0) {
          listDepth = 2;
        } else if (byte === openBrace && depth === listDepth && listDepth > 0) {
          record = { line, start: offset + at };
          [parts, size, from] = [[], 0, at];
        }
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (record && depth === listDepth) {
          size += at + 1 - from;
          if (size <= recordBytesMax) parts.push(chunk.subarray(from, at + 1));
          const bytes = size > recordBytesMax ? undefined : Buffer.concat(parts);
          yield { ...record, bytes };
          record = undefined;
        } else if (depth === 1 && listDepth === 2) listDepth = -1;
      }
    }
    if (record) {
      size += chunk.length - from;
      if (size <= recordBytesMax) parts.push(Buffer.from(chunk.subarray(from)));
      else parts = [];
    }
    offset += chunk.length;
  }
  if (listDepth === 0) throw new Error("it has no list of features");
  if (depth !== 0 || isString) throw new Error(`it ends in the middle, at line ${line}`);
}
