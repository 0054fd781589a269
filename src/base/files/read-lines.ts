/** One line of a file, without its end. */
export interface TextLine {
  /** Counts from 1. */
  readonly number: number;
  /** undefined: the line is longer than allowed and was skipped. */
  readonly bytes: Buffer | undefined;
}

export interface LinesRead {
  readonly lines: readonly TextLine[];
  readonly bytesRead: number;
}

const lineFeed = 0x0a;

/**
 * Splits bytes into lines. Yields all lines that end in one chunk together. Holds at most one chunk
 * and `lineBytesMax` in memory. The last line needs no line end; nothing after the last line end is
 * not a line.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  lineBytesMax: number,
): AsyncGenerator<LinesRead> {
  let number = 1;
  let rest: Buffer[] = []; // the start of a line that continues in the next chunk
  let restBytes = 0;
  const keep = (part: Buffer) => {
    restBytes += part.length;
    if (restBytes > lineBytesMax) rest = [];
    else if (part.length > 0) rest.push(part);
  };
  const endLine = (): TextLine => {
    const bytes = restBytes > lineBytesMax ? undefined : Buffer.concat(rest);
    rest = [];
    restBytes = 0;
    return { number: number++, bytes };
  };

  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      keep(chunk.subarray(start, end));
      lines.push(endLine());
      start = end + 1;
    }
    keep(chunk.subarray(start));
    yield { lines, bytesRead: chunk.length };
  }
  if (restBytes > 0) yield { lines: [endLine()], bytesRead: 0 };
}
