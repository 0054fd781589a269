import { clearLine, toTerminalText } from "../../base/terminal-text.ts";
import { createPagedText, PagerClosed, type Pager } from "./pager.ts";
import { printList, type PrintListOptions } from "./print-list.ts";
import { formatTable, type TableColumn } from "./table.ts";

/**
 * The only way a command speaks. Where stdout is a terminal, what it cannot show is made visible,
 * exports included; files and pipes get the exact text.
 * stdout carries results and nothing else: with --json exactly
 * one JSON document per run, so a command calls `result`, `table` or `list` once; but for a command that
 * goes on until it is stopped, which calls `frame` again and again: one document per line.
 */
export interface Output {
  readonly isJson: boolean;
  /** stdout is one, and shows text for people. */
  readonly isTerminal: boolean;
  /** Prints the value for programs, or the text for people. */
  result(value: unknown, human: string | ((layout: Layout) => string)): void;
  /** Prints rows as a table, or as a JSON array of the rows themselves. */
  table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): void;
  /**
   * Prints rows as they come, however many there are, as a table or as a JSON array. Holds a few
   * hundred rows at most. On a terminal, what is longer than the screen goes to the pager. Resolves with
   * the number of rows once they are written, or when the user has closed the pager.
   */
  list<Row>(
    rows: Iterable<Row> | AsyncIterable<Row>,
    options: PrintListOptions<Row>,
  ): Promise<number>;
  /** How things are now: takes the place of the last frame on a terminal, elsewhere one line. */
  frame(value: unknown, human: Frame): void;
  /**
   * A piece of a result that is too long to be held, as it is: an export. Resolves when there is
   * room for more.
   */
  piece(text: string): Promise<void>;
  /** Tells people something beside the result: stderr, and not with --quiet. */
  note(text: string): void;
}

/** Makes text that fits the terminal, or whole lines where there is none. */
export interface Layout {
  table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): string;
  /** Lines of a frame; undefined: as many as there are. */
  readonly rowsMax?: number | undefined;
}

export interface Frame {
  readonly screen: (layout: Layout) => string;
  readonly line: () => string;
}

/** The part of a stream that we need, so that tests can bring their own. */
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
  /** Undefined, or returns undefined: lists are written to stdout as they are. */
  readonly openPager?: (() => Pager | undefined) | undefined;
  /** Completes the commands that results and notes hint at. */
  readonly hint?: (text: string) => string;
}

export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, isJson, isQuiet, hasColor, openPager } = options;
  const { hint = (text) => text } = options;
  const write = (text: string) => stdout.write(stdout.isTTY === true ? toTerminalText(text) : text);
  const printJson = (value: unknown) => write(`${JSON.stringify(value, null, 2)}\n`);
  const printText = (text: string) => write(text.endsWith("\n") ? text : `${text}\n`);
  const layout: Layout = {
    table: (rows, columns) =>
      formatTable(rows, columns, { widthMax: terminalWidth(stdout), hasColor }),
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
      else if (!isTerminal) printText(line());
      else {
        const text = toTerminalText(screen(layout));
        stdout.write(redraw(text, { isFirst: !hasFrame, rowsMax: stdout.rows || 24 }));
        hasFrame = true;
      }
    },
    async list(rows, how) {
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

/** Who reads may also have gone away: then there will be no room, and whoever asks is told to stop. */
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

/** Over the last frame, line by line, and then the rest cleared: clearing all first flickers. */
function redraw(text: string, { isFirst, rowsMax }: { isFirst: boolean; rowsMax: number }): string {
  const lines = text.split("\n").slice(0, rowsMax - 1);
  const start = isFirst ? "\u001b[2J\u001b[H" : "\u001b[H";
  return `${start}${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[J`;
}

/** https://no-color.org: any value but the empty one counts. */
export function canColor(
  stream: TextStream,
  { env, isWanted }: { env: Readonly<Record<string, string | undefined>>; isWanted: boolean },
): boolean {
  return isWanted && stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/**
 * Undefined where there is no terminal: pipes and files get whole lines. A terminal that does
 * not know its width (a serial line, some CI) says 0.
 */
export function terminalWidth(stream: TextStream): number | undefined {
  return stream.isTTY ? stream.columns || 80 : undefined;
}
