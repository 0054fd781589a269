import { AppError } from "../../base/app-error.ts";

/** One record of a CSV file. */
export interface CsvRecord {
  /** The first line of the record in the file, from 1: a quoted field can span several lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvReader {
  /** Returns the rows that end in this text. */
  push(text: string): readonly CsvRecord[];
  /** Returns the last row if it has no line break. Throws for a quote that was never closed. */
  end(): readonly CsvRecord[];
}

export interface CsvReaderOptions {
  /** Default: the one of `,` `;` and tab that occurs most in the first line, outside quotes. */
  readonly delimiter?: string;
}

/** Without this limit, a stray quote would read the rest of the file into one cell. */
const cellCharsMax = 1024 * 1024;

type State = "start" | "plain" | "quoted" | "closed";

/**
 * Reads CSV (RFC 4180) in chunks of any size. Accepts what other programs write: any line ends, a
 * byte order mark, `;` or tabs. Empty lines are skipped. Keeps one row in memory.
 */
export function createCsvReader({ delimiter }: CsvReaderOptions = {}): CsvReader {
  let separator = delimiter;
  let waiting = ""; // the first line, until its delimiter is known
  let state: State = "start";
  let cell = "";
  let cells: string[] = [];
  let line = 1;
  let rowLine = 1;
  let quoteLine = 1;
  let isAfterReturn = false;
  let isFirst = true;
  let isStarted = false;

  const endCell = () => {
    cells.push(cell);
    cell = "";
    state = "start";
  };
  const endRow = (into: CsvRecord[]) => {
    const isEmpty = cells.length === 0 && cell === "" && state === "start";
    if (!isEmpty) {
      endCell();
      into.push({ line: rowLine, cells });
      cells = [];
    }
    state = "start";
    line += 1;
    rowLine = line;
  };
  const add = (char: string) => {
    if (cell.length >= cellCharsMax) throw tooLong(state === "quoted" ? quoteLine : rowLine);
    cell += char;
  };

  /**
   * Reads everything up to the next special character at once, because most of a file is such text.
   */
  const readPlain = (text: string, from: number, isQuoted: boolean): number => {
    let to = from;
    for (; to < text.length; to++) {
      const char = text[to]!;
      if (isQuoted ? char === '"' || char === "\n" || char === "\r" : isSpecial(char)) break;
    }
    if (to > from) add(text.slice(from, to));
    return to;
  };
  const isSpecial = (char: string) => char === separator || char === "\n" || char === "\r";

  /** Excel writes `sep=;` above the header. Undefined if the header has not arrived yet. */
  const withoutSeparatorLine = (): string | undefined => {
    const found = /^"?sep=(.)"?(?:\r\n?|\n|$)/i.exec(waiting);
    if (!found) return waiting;
    const rest = waiting.slice(found[0].length);
    if (!/[\r\n]/.test(rest.slice(1)) && rest.length < 2) return undefined;
    separator = found[1];
    [line, rowLine] = [2, 2];
    return rest;
  };

  const read = (text: string): readonly CsvRecord[] => {
    isStarted = true;
    const rows: CsvRecord[] = [];
    for (let at = 0; at < text.length;) {
      const char = text[at]!;
      const isPairEnd = isAfterReturn && char === "\n";
      isAfterReturn = char === "\r";
      if (state === "quoted") {
        if (char === '"') state = "closed";
        else if (char === "\n" || char === "\r") {
          if (!isPairEnd) line += 1;
          add(char);
        } else {
          at = readPlain(text, at, true);
          continue;
        }
      } else if (char === "\n" || char === "\r") {
        if (!isPairEnd) endRow(rows);
      } else if (state === "closed" && char === '"') {
        add('"');
        state = "quoted";
      } else if (char === separator) endCell();
      else if (state === "closed") throw textAfterQuote(line);
      else if (state === "start" && char === '"') {
        state = "quoted";
        quoteLine = line;
      } else {
        state = "plain";
        at = readPlain(text, at, false);
        continue;
      }
      at += 1;
    }
    return rows;
  };

  return {
    push(text) {
      const piece = isFirst ? text.replace(/^\ufeff/, "") : text;
      if (text !== "") isFirst = false;
      if (isStarted) return read(piece);
      waiting += piece;
      if (!/[\r\n]/.test(piece) && waiting.length < cellCharsMax) return [];
      const held = withoutSeparatorLine();
      if (held === undefined) return [];
      separator ??= separatorOf(held);
      waiting = "";
      return read(held);
    },
    end() {
      const held = isStarted ? "" : (withoutSeparatorLine() ?? "");
      separator ??= separatorOf(held);
      const rows = [...read(held)];
      waiting = "";
      // TypeScript has narrowed the type; `read` has changed the state since.
      if ((state as State) === "quoted") throw unclosed(quoteLine);
      endRow(rows);
      return rows;
    },
  };
}

const separators = [",", ";", "\t", "|"];

/** The first line is the header, and column names seldom contain any of these. */
function separatorOf(text: string): string {
  const unquoted = text.replace(/"(?:[^"]|"")*"/g, "");
  const [header = ""] = unquoted.split(/[\r\n]/, 1);
  const counts = separators.map((char) => header.split(char).length);
  return separators[counts.indexOf(Math.max(...counts))]!;
}

const wrong = (line: number, what: string) =>
  new AppError("invalid", "csv_malformed", `line ${line}: ${what}`);

const unclosed = (line: number) => wrong(line, 'a quoted cell begins here and has no closing "');

const textAfterQuote = (line: number) =>
  wrong(line, 'text follows a closing "; write "" for a quote within a cell');

const tooLong = (line: number) =>
  wrong(line, `a cell has more than ${cellCharsMax} characters; is a closing " missing?`);
