import { cutToWidth, textWidth, toOneLine } from "./text-width.ts";

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

/** Aligned columns: numbers to the right, the rest to the left, no spaces at line ends. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { widthMax, hasColor }: TableOptions,
): string {
  const cells = rows.map((row) => columns.map((column) => toOneLine(String(column.value(row)))));
  const isNumeric = columns.map(
    (column) => rows.length > 0 && rows.every((row) => typeof column.value(row) === "number"),
  );
  const widths = columns.map((column, index) =>
    Math.max(textWidth(column.title), ...cells.map((line) => textWidth(line[index]!))),
  );
  if (widthMax !== undefined) shrink(widths, columns, widthMax);

  const formatLine = (line: readonly string[], paint: (text: string, index: number) => string) =>
    line
      .map((text, index) => {
        const width = widths[index]!;
        const shown = columns[index]!.isNeverCut ? text : cutToWidth(text, width);
        const padding = " ".repeat(Math.max(0, width - textWidth(shown)));
        const painted = paint(shown, index);
        if (isNumeric[index]) return padding + painted;
        return index === line.length - 1 ? painted : painted + padding;
      })
      .join(gap)
      .trimEnd();

  const header = formatLine(
    columns.map((column) => column.title),
    (text) => (hasColor ? ansi(1, text) : text),
  );
  const body = rows.map((row, rowIndex) =>
    formatLine(cells[rowIndex]!, (text, index) => {
      const tint = hasColor ? columns[index]!.tint?.(row) : undefined;
      return tint ? ansi(tints[tint], text) : text;
    }),
  );
  return [header, ...body].join("\n");
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
