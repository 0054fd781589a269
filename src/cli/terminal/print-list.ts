import {
  createTableWriter,
  formatRecord,
  isTooNarrow,
  type TableColumn,
  type TableOptions,
  type TableWriter,
} from "./table.ts";

export interface PrintListOptions<Row> {
  readonly columns: readonly TableColumn<Row>[];
  /** What people see instead of an empty list: the reason. Absent: only the header. */
  readonly empty?: string;
  /** The JSON value of a row; absent: the row itself. */
  readonly value?: (row: Row) => unknown;
  /** If present, the JSON output is an object with the rows as this member, followed by `rest`. */
  readonly member?: {
    readonly name: string;
    /** Called after all rows are written. */
    readonly rest: () => Readonly<Record<string, unknown>>;
  };
}

export interface ListOutput {
  readonly isJson: boolean;
  /** Resolves when there is room for more. */
  readonly write: (text: string) => Promise<void>;
  readonly table: TableOptions;
}

/** Column widths are computed from this many rows. */
export const sampleRows = 200;
/** Text is collected up to this size before it is written. */
const chunkChars = 2 ** 16;

/** See `Output.list`. */
export async function printList<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: PrintListOptions<Row>,
  output: ListOutput,
): Promise<number> {
  const { isJson, write } = output;
  let gathered: string[] = [];
  let chars = 0;
  const add = async (text: string) => {
    gathered.push(text);
    chars += text.length;
    if (chars >= chunkChars) await flush();
  };
  const flush = async () => {
    const text = gathered.join("");
    [gathered, chars] = [[], 0];
    if (text !== "") await write(text);
  };
  const count = await (isJson
    ? addJson(rows, options, add)
    : addTable(rows, options, { ...output, add }));
  await flush();
  return count;
}

type Add = (text: string) => Promise<void>;

async function addTable<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  { columns, empty }: Pick<PrintListOptions<Row>, "columns" | "empty">,
  { table, add }: ListOutput & { readonly add: Add },
): Promise<number> {
  const sample: Row[] = [];
  let writer: TableWriter<Row> | undefined;
  let count = 0;
  const begin = async () => {
    const begun = writerOf(sample, columns, table);
    if (begun.header !== "") await add(`${begun.header}\n`);
    for (const row of sample) await add(`${begun.line(row)}\n`);
    return begun;
  };
  for await (const row of rows) {
    count += 1;
    if (writer) await add(`${writer.line(row)}\n`);
    else if (sample.push(row) === sampleRows) writer = await begin();
  }
  if (count === 0 && empty !== undefined) await add(`${empty}\n`);
  else if (!writer) await begin();
  return count;
}

/** Lines of a table; on a terminal that is too narrow for it, one block of lines per row. */
function writerOf<Row>(
  sample: readonly Row[],
  columns: readonly TableColumn<Row>[],
  table: TableOptions,
): TableWriter<Row> {
  const { widthMax } = table;
  if (widthMax === undefined || !isTooNarrow(sample, columns, widthMax)) {
    return createTableWriter(sample, columns, table);
  }
  return { header: "", line: (row) => `${formatRecord(row, columns, widthMax)}\n` };
}

/** Writes the same text as JSON.stringify of the whole array, indented by two spaces. */
async function addJson<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  { value = (row: Row) => row, member }: PrintListOptions<Row>,
  add: Add,
): Promise<number> {
  /** The text before and after a row, taken from a list with one row. */
  const framed = (one: unknown) =>
    JSON.stringify(member ? { [member.name]: [one] } : [one], null, 2);
  const [before = "", behind = ""] = framed(mark).split(JSON.stringify(mark));
  const indent = before.slice(before.lastIndexOf("\n"));
  const opening = before.slice(0, -indent.length);
  let count = 0;
  for await (const row of rows) {
    const text = framed(value(row)).slice(before.length, -behind.length);
    await add(`${count === 0 ? opening : ","}${indent}${text}`);
    count += 1;
  }
  await add(count === 0 ? `${opening}]` : behind.slice(0, behind.indexOf("]") + 1));
  if (member) {
    // Removes the opening brace, because the rest continues the same object.
    const rest = JSON.stringify(member.rest(), null, 2).slice(1);
    await add(rest === "}" ? "\n}" : `,${rest}`);
  }
  await add("\n");
  return count;
}

/** A placeholder that no row contains. */
const mark = "\u0000";
