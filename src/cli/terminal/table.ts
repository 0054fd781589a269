import { toOneLine } from "../../base/text/terminal-text.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

export interface TableColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number;
  readonly tint?: (row: Row) => Tint | undefined;
  /** For text that is useless if cut, such as the next step. Last column only. */
  readonly isNeverCut?: boolean;
  /** For text that users type or must not miss: never cut, and its column is never left out. */
  readonly isKey?: boolean;
}

export type Tint = "good" | "warn" | "bad";

export interface TableOptions {
  /** Absent: lines may have any length. */
  readonly widthMax?: number | undefined;
  readonly hasColor: boolean;
}

const gap = "  ";
/**
 * Shorter values are never cut, because half of a phone number is worse than none. Longer text may
 * be cut to this.
 */
const cellWidthMin = 24;
const tints: Readonly<Record<Tint, number>> = { good: 32, warn: 33, bad: 31 };

/** Formats lines of a table with the column widths of the rows that it was created from. */
export interface TableWriter<Row> {
  readonly header: string;
  line(row: Row): string;
}

/** Aligned columns: numbers on the right, everything else on the left, no spaces at line ends. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  options: TableOptions,
): string {
  const { widthMax } = options;
  if (widthMax !== undefined && isTooNarrow(rows, columns, widthMax)) {
    return rows.map((row) => formatRecord(row, columns, widthMax)).join("\n\n");
  }
  const writer = createTableWriter(rows, columns, options);
  return [writer.header, ...rows.map((row) => writer.line(row))].join("\n");
}

/**
 * True if nothing or not even the key columns fit: then each row is written as lines of title and
 * value.
 */
export function isTooNarrow<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  widthMax: number,
): boolean {
  if (rows.length === 0 || columns.length === 1) return false;
  const kept = fittingColumns(rows, columns, widthMax);
  return kept.length === 1 || leastWidth(rows, kept) > widthMax;
}

/**
 * Computes widths and alignment from some rows and uses them for all following rows. A later cell
 * that is wider is cut on a terminal; elsewhere it is written whole and shifts the rest of its
 * line.
 */
export function createTableWriter<Row>(
  sample: readonly Row[],
  all: readonly TableColumn<Row>[],
  { widthMax, hasColor }: TableOptions,
): TableWriter<Row> {
  const columns = widthMax === undefined ? all : fittingColumns(sample, all, widthMax);
  const cellsOf = (row: Row) => columns.map((column) => toOneLine(String(column.value(row))));
  const isNumeric = columns.map(
    (column) => sample.length > 0 && sample.every((row) => typeof column.value(row) === "number"),
  );
  const widths = widthsOf(sample, columns);
  if (widthMax !== undefined) shrink(widths, columns, widthMax);

  const formatLine = (line: readonly string[], paint: (text: string, index: number) => string) =>
    line
      .map((text, index) => {
        const width = widths[index]!;
        const { isNeverCut, isKey } = columns[index]!;
        const isWhole = widthMax === undefined || isNeverCut || isKey;
        const shown = isWhole ? text : cutToWidth(text, width);
        const padding = " ".repeat(Math.max(0, width - textWidth(shown)));
        const painted = paint(shown, index);
        if (isNumeric[index]) return padding + painted;
        return index === line.length - 1 ? painted : painted + padding;
      })
      .join(gap)
      .trimEnd();

  return {
    header: formatLine(
      columns.map((column) => column.title),
      (text) => (hasColor ? ansi(1, text) : text),
    ),
    line: (row) =>
      formatLine(cellsOf(row), (text, index) => {
        const tint = hasColor ? columns[index]!.tint?.(row) : undefined;
        return tint ? ansi(tints[tint], text) : text;
      }),
  };
}

/** The preferred width of each column. */
function widthsOf<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): number[] {
  return columns.map(({ title, value }) =>
    rows.reduce(
      (most, row) => Math.max(most, textWidth(toOneLine(String(value(row))))),
      textWidth(title),
    ),
  );
}

/**
 * Removes columns from the right until the others fit. Before that, only long text is cut, to no
 * less than `cellWidthMin`.
 */
function fittingColumns<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  widthMax: number,
): readonly TableColumn<Row>[] {
  let kept = columns;
  for (;;) {
    const last = kept.findLastIndex(({ isKey, isNeverCut }) => !isKey && !isNeverCut);
    if (leastWidth(rows, kept) <= widthMax || last < 1) return kept;
    kept = kept.filter((_, index) => index !== last);
  }
}

/** The width if every cell is cut as much as allowed. */
function leastWidth<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): number {
  return widthsOf(rows, columns).reduce(
    (sum, width, index) => {
      const { isKey, isNeverCut } = columns[index]!;
      return sum + (isNeverCut ? 0 : isKey ? width : Math.min(width, cellWidthMin));
    },
    gap.length * (columns.length - 1),
  );
}

/** Formats a row as lines of title and value, for a terminal that is too narrow for a table. */
export function formatRecord<Row>(
  row: Row,
  columns: readonly TableColumn<Row>[],
  widthMax: number,
): string {
  const titleWidth = Math.max(...columns.map(({ title }) => textWidth(title)));
  return columns
    .map(({ title, value, isKey, isNeverCut }) => {
      const text = toOneLine(String(value(row)));
      const room = Math.max(1, widthMax - titleWidth - gap.length);
      const shown = isKey || isNeverCut ? text : cutToWidth(text, room);
      return `${title.padEnd(titleWidth)}${gap}${shown}`.trimEnd();
    })
    .join("\n");
}

/** Takes width from the widest column first, so that short columns stay readable. */
function shrink<Row>(
  widths: number[],
  columns: readonly TableColumn<Row>[],
  widthMax: number,
): void {
  const candidates = widths
    .map((_, index) => index)
    .filter((index) => !columns[index]!.isNeverCut && !columns[index]!.isKey);
  const total = () =>
    widths.reduce((sum, width, index) => sum + (columns[index]!.isNeverCut ? 0 : width), 0) +
    gap.length * (widths.length - 1);
  while (total() > widthMax) {
    const widest = candidates.reduce(
      (best, index) => (widths[index]! > widths[best]! ? index : best),
      candidates[0] ?? 0,
    );
    if (candidates.length === 0 || widths[widest]! <= cellWidthMin) return; // a long key is wrapped
    widths[widest]!--;
  }
}

const ansi = (code: number, text: string) =>
  text === "" ? text : `\u001b[${code}m${text}\u001b[0m`;
