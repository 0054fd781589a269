import { clearLine, toTerminalText } from "../../base/text/terminal-text.ts";
import { createPagedText, PagerClosed, type Pager } from "./pager.ts";
import { printList, type PrintListOptions } from "./print-list.ts";
import { formatTable, type TableColumn } from "./table.ts";

/**
 * All output of commands. If stdout is a terminal, control characters are escaped, also in exports;
 * files and pipes get the exact text. stdout carries results only. With --json it is exactly one
 * JSON document per run, so a command calls `result`, `table` or `list` once. The exception is a
 * command that runs until it is stopped: it calls `frame` repeatedly, and writes one document per
 * line.
 */
export interface Output {
  readonly isJson: boolean;
  /** stdout is a terminal and shows text for people. */
  readonly isTerminal: boolean;
  /** Prints the value for programs, or the text for people. */
  result(value: unknown, human: string | ((layout: Layout) => string)): void;
  /** Prints rows as a table, or as a JSON array of the rows themselves. */
  table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): void;
  /**
   * Prints rows as they arrive, in any number, as a table or as a JSON array. Keeps at most a few
   * hundred rows in memory. On a terminal, output longer than the screen goes to the pager.
   * Resolves with the number of rows when they are written, or when the user has closed the pager.
   */
  list<Row>(
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: PrintListOptions<Row>,
  ): Promise<number>;
  /**
   * Shows the current state. On a terminal it replaces the previous frame; elsewhere it is one more
   * line.
   */
  frame(value: unknown, human: Frame): void;
  /**
   * Writes a part of a result that is too long for memory, such as an export, without changes.
   * Resolves when there is room for more.
   */
  piece(text: string): Promise<void>;
  /** Writes a message for people to stderr, unless --quiet is given. */
  note(text: string): void;
}

/** Formats text to fit the terminal; without a terminal, lines are not cut. */
export interface Layout {
  table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): string;
  /** The maximum number of lines of a frame; undefined: no limit. */
  readonly rowsMax?: number | undefined;
}

export interface Frame {
  readonly screen: (layout: Layout) => string;
  readonly line: () => string;
}

/** The part of a stream that is used here, so that tests can provide their own. */
export interface TextStream {
  write(text: string): unknown;
  once?(event: string, listener: () => void): unknown;
  off?(event: string, listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export interface OutputOptions {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly hasColor: boolean;
  /** Undefined, or returning undefined: lists are written to stdout without a pager. */
  readonly openPager?: (() => Pager | undefined) | undefined;
  /** Adds flags to the commands that are suggested in results and notes. */
  readonly hint?: (text: string) => string;
}

export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, isJson, isQuiet, hasColor, openPager } = options;
  const { hint = (text) => text } = options;
  const write = (text: string) => stdout.write(stdout.isTTY === true ? toTerminalText(text) : text);
  const printJson = (value: unknown) => write(`${JSON.stringify(value, null, 2)}\n`);
  const printText = (text: string) => write(text.endsWith("\n") ? text : `${text}\n`);
  /** Before widths are measured. */
  const hinted = <Row>(columns: readonly TableColumn<Row>[]): readonly TableColumn<Row>[] =>
    columns.map((column) => {
      const value = (row: Row) => {
        const cell = column.value(row);
        return typeof cell === "string" ? hint(cell) : cell;
      };
      return { ...column, value };
    });
  const layout: Layout = {
    table: (rows, columns) =>
      formatTable(rows, hinted(columns), { widthMax: terminalWidth(stdout), hasColor }),
    get rowsMax() {
      return stdout.isTTY === true ? (stdout.rows || 24) - 1 : undefined;
    },
  };
  const isTerminal = stdout.isTTY === true && !isJson;
  const piece = async (text: string) => {
    if (write(text) === false) await roomIn(stdout);
  };
  let hasFrame = false;
  return {
    isJson,
    isTerminal,
    result(value, human) {
      if (isJson) printJson(value);
      else printText(hint(typeof human === "string" ? human : human(layout)));
    },
    table(rows, columns) {
      if (isJson) printJson(rows);
      else printText(layout.table(rows, columns));
    },
    frame(value, { screen, line }) {
      if (isJson) write(`${JSON.stringify(value)}\n`);
      else if (!isTerminal) printText(hint(line()));
      else {
        const text = toTerminalText(screen(layout));
        stdout.write(redraw(hint(text), { isFirst: !hasFrame, rowsMax: stdout.rows || 24 }));
        hasFrame = true;
      }
    },
    async list(rows, asked) {
      const { empty } = asked;
      const columns = hinted(asked.columns);
      const how = { ...asked, columns, ...(empty !== undefined && { empty: hint(empty) }) };
      const table = { widthMax: terminalWidth(stdout), hasColor };
      if (!isTerminal || !openPager) return printList(rows, how, { isJson, write: piece, table });
      const open = () => openPager();
      const paged = createPagedText({ rows: stdout.rows || 24, print: piece, open });
      const write = (text: string) => paged.write(toTerminalText(text));
      const counted = countRows(rows);
      try {
        return await printList(counted.rows, how, { isJson, write, table });
      } catch (error) {
        if (error instanceof PagerClosed) return counted.count();
        throw error;
      } finally {
        await paged.end();
      }
    },
    piece,
    note(text) {
      if (!isQuiet) stderr.write(`${clearLine(stderr)}${toTerminalText(hint(text))}\n`);
    },
  };
}

function countRows<Row>(rows: Iterable<Row> | AsyncIterable<Row>) {
  let count = 0;
  async function* read() {
    for await (const row of rows) {
      count += 1;
      yield row;
    }
  }
  return { rows: read(), count: () => count };
}

/**
 * Also resolves if the reader has closed the stream: there will never be room, and the command is
 * asked to stop.
 */
function roomIn(stream: TextStream): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "close", "error"];
    const done = () => {
      for (const event of events) stream.off?.(event, done);
      resolve();
    };
    for (const event of events) stream.once?.(event, done);
    if (!stream.once) resolve();
  });
}

/** Overwrites the last frame line by line, then clears the rest: clearing first would flicker. */
function redraw(text: string, { isFirst, rowsMax }: { isFirst: boolean; rowsMax: number }): string {
  const lines = text.split("\n").slice(0, rowsMax - 1);
  const start = isFirst ? "\u001b[2J\u001b[H" : "\u001b[H";
  return `${start}${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`;
}

/** See https://no-color.org: any non-empty value counts. */
export function canColor(
  stream: TextStream,
  { env, isWanted }: { env: Readonly<Record<string, string | undefined>>; isWanted: boolean },
): boolean {
  return isWanted && stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/**
 * Undefined if there is no terminal: pipes and files get whole lines. A terminal that does not know
 * its width (a serial line, some CI) reports 0.
 */
export function terminalWidth(stream: TextStream): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}
