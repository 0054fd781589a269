import { toOneLine } from "../base/terminal-text.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number;
  readonly tint?: (row: Row) => Tint | undefined;
  /** For text that is worth nothing when cut, such as what to do next. Last column only. */
  readonly isNeverCut?: boolean;
}

export type Tint = "good" | "warn" | "bad";

export interface TableOptions {
  /** Without it lines are as long as they need to be. */
  readonly widthMax?: number | undefined;
  readonly hasColor: boolean;
}

const gap = "  ";
const cellWidthMin = 6;
const tints: Readonly<Record<Tint, number>> = { good: 32, warn: 33, bad: 31 };

/** Lines of a table. Widths are those of the rows that it was made from. */
export interface TableWriter<Row> {
  readonly header: string;
  line(row: Row): string;
}

/** Aligned columns: numbers to the right, the rest to the left, no spaces at line ends. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions,
): string {
  const writer = createTableWriter(rows, columns, options);
  return [writer.header, ...rows.map((row) => writer.line(row))].join("\n");
}

/**
 * Takes widths and alignment from some rows and keeps them for all that follow. A later cell that is
 * wider is cut on a terminal; elsewhere it is written whole and shifts the rest of its line.
 */
export function createTableWriter<Row>(
  sample: readonly Row[],
  columns: readonly Column<Row>[],
  { widthMax, hasColor }: TableOptions,
): TableWriter<Row> {
  const cellsOf = (row: Row) => columns.map((column) => toOneLine(String(column.value(row))));
  const isNumeric = columns.map(
    (column) => sample.length > 0 && sample.every((row) => typeof column.value(row) === "number"),
  );
  const widths = columns.map((column) => textWidth(column.title));
  for (const row of sample) {
    for (const [index, cell] of cellsOf(row).entries()) {
      widths[index] = Math.max(widths[index]!, textWidth(cell));
    }
  }
  if (widthMax !== undefined) shrink(widths, columns, widthMax);

  const formatLine = (line: readonly string[], paint: (text: string, index: number) => string) =>
    line
      .map((text, index) => {
        const width = widths[index]!;
        const isWhole = widthMax === undefined || columns[index]!.isNeverCut;
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

/** Takes from the widest column first: short ones stay readable the longest. */
function shrink<Row>(widths: number[], columns: readonly Column<Row>[], widthMax: number): void {
  const candidates = widths.map((_, index) => index).filter((index) => !columns[index]!.isNeverCut);
  const total = () =>
    widths.reduce((sum, width, index) => sum + (columns[index]!.isNeverCut ? 0 : width), 0) +
    gap.length * (widths.length - 1);
  while (total() > widthMax) {
    const widest = candidates.reduce(
      (best, index) => (widths[index]! > widths[best]! ? index : best),
      candidates[0] ?? 0,
    );
    if (candidates.length === 0 || widths[widest]! <= cellWidthMin) return;
    widths[widest]!--;
  }
}

const ansi = (code: number, text: string) =>
  text === "" ? text : `\u001b[${code}m${text}\u001b[0m`;
