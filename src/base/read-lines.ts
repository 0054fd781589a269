/** One line of a file, without its end. */
export interface TextLine {
  /** From 1. */
  readonly number: number;
  /** undefined: it is longer than allowed, and was skipped. */
  readonly bytes: Buffer | undefined;
}

export interface LinesRead {
  readonly lines: readonly TextLine[];
  readonly bytesRead: number;
}

const lineFeed = 0x0a;

/**
 * Cuts bytes into lines, as many at a time as a chunk ends. Holds at most one chunk and
 * `lineBytesMax`, however long a line is. The last line needs no end; an empty rest is no line.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  lineBytesMax: number,
): AsyncGenerator<LinesRead> {
  let number = 1;
  let rest: Buffer[] = []; // the beginning of a line that goes on in the next chunk
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
