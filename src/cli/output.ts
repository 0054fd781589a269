import { formatTable, type Column } from "./table.ts";

/**
 * The only way a command speaks. stdout carries results and nothing else: with --json exactly
 * one JSON document per run, so a command calls `result` or `table` once.
 */
export interface Output {
  readonly isJson: boolean;
  /** Prints the value for programs, or the text for people. */
  result(value: unknown, human: string): void;
  /** Prints rows as a table, or as a JSON array of the rows themselves. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void;
  /** Tells people something beside the result: stderr, and not with --quiet. */
  note(text: string): void;
}

/** The part of a stream that we need, so that tests can bring their own. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface OutputOptions {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly hasColor: boolean;
}

export function createOutput({ stdout, stderr, isJson, isQuiet, hasColor }: OutputOptions): Output {
  const printJson = (value: unknown) => stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  const printText = (text: string) => stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  return {
    isJson,
    result(value, human) {
      if (isJson) printJson(value);
      else printText(human);
    },
    table(rows, columns) {
      if (isJson) printJson(rows);
      else printText(formatTable(rows, columns, { widthMax: terminalWidth(stdout), hasColor }));
    },
    note(text) {
      if (!isQuiet) stderr.write(`${clearLine(stderr)}${text}\n`);
    },
  };
}

/** A progress bar may stand on the line; it draws itself anew below what is written here. */
export function clearLine(stream: TextStream): string {
  return stream.isTTY ? "\r\u001b[K" : "";
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
