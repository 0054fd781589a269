import { expect, test } from "vitest";
import { createOutput } from "./output.ts";
import { sampleRows } from "./print-list.ts";
import type { TableColumn } from "./table.ts";
import { createTestStream } from "../testing/test-stream.ts";

interface Row {
  readonly id: number;
  readonly text: string;
}

const columns: readonly TableColumn<Row>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "text", value: ({ text }) => text },
  { title: "end", value: () => "." },
];

function open(options: { readonly isJson?: boolean; readonly columns?: number } = {}) {
  const stdout = createTestStream({
    isTTY: options.columns !== undefined,
    columns: options.columns,
  });
  const { isJson = false } = options;
  const made = { stdout, stderr: createTestStream(), isJson, isQuiet: false, hasColor: false };
  return { out: createOutput(made), stdout };
}

const rowsOf = (count: number, textOf: (id: number) => string = (id) => `t${id}`) =>
  Array.from({ length: count }, (_, at): Row => ({ id: at + 1, text: textOf(at + 1) }));

async function* numbered(count: number, textOf?: (id: number) => string) {
  yield* rowsOf(count, textOf);
}

test.each([0, 1, 3, sampleRows - 1, sampleRows, sampleRows + 1])(
  "%i rows that come one by one are printed like rows that are there at once",
  async (count) => {
    const rows = rowsOf(count);
    for (const how of [{}, { columns: 40 }, { isJson: true }]) {
      const [listed, atOnce] = [open(how), open(how)];
      expect(await listed.out.list(numbered(count), { columns })).toBe(count);
      atOnce.out.table(rows, columns);
      expect(listed.stdout.text()).toBe(atOnce.stdout.text());
    }
  },
);

test.each([0, 1, 2])(
  "a list of %i can be the member of an object, before the rest",
  async (count) => {
    const rows = rowsOf(count, () => "line\nbreak");
    for (const rest of [{}, { after: null }, { after: 7, more: { is: true } }]) {
      const [listed, atOnce] = [open({ isJson: true }), open({ isJson: true })];
      const value = ({ text }: Row) => ({ text, nested: [text] });
      const member = { name: "tasks", rest: () => rest };
      await listed.out.list(rows, { columns, value, member });
      atOnce.out.result({ tasks: rows.map(value), ...rest }, "");
      expect(listed.stdout.text()).toBe(atOnce.stdout.text());
    }
  },
);

test("widths are those of the first rows: later cells are cut on a terminal, whole elsewhere", async () => {
  const long = "x".repeat(60);
  const textOf = (id: number) => (id > sampleRows ? long : "short");
  const terminal = open({ columns: 80 });
  await terminal.out.list(numbered(sampleRows + 1, textOf), { columns });
  expect(terminal.stdout.text().trimEnd().split("\n").at(-1)).toBe("201  xxxx…  .");

  const pipe = open();
  await pipe.out.list(numbered(sampleRows + 1, textOf), { columns });
  expect(pipe.stdout.text().trimEnd().split("\n").at(-1)).toBe(`201  ${long}  .`);
});

test("300,000 rows pass through in bounded memory, and a slow reader is waited for", async () => {
  let waits = 0;
  let [chars, charsMax, lines] = [0, 0, 0];
  const stdout = {
    write(text: string) {
      chars += text.length;
      charsMax = Math.max(charsMax, text.length);
      lines += text.split("\n").length - 1;
      return false;
    },
    once(event: string, listener: () => void) {
      if (event !== "drain") return;
      waits += 1;
      queueMicrotask(listener);
    },
    off() {},
  };
  let [taken, ahead] = [0, 0];
  async function* rows() {
    for (let id = 1; id <= 300_000; id++) {
      taken += 1;
      ahead = Math.max(ahead, taken - lines);
      yield { id, text: `task number ${id}` };
    }
  }
  for (const isJson of [false, true]) {
    [taken, ahead, lines, chars, charsMax, waits] = [0, 0, 0, 0, 0, 0];
    const quiet = { stderr: createTestStream(), isQuiet: false, hasColor: false };
    const out = createOutput({ stdout, isJson, ...quiet });
    expect(await out.list(rows(), { columns })).toBe(300_000);
    expect(chars).toBeGreaterThan(300_000 * 20);
    expect(charsMax).toBeLessThan(2 ** 17);
    expect(waits).toBeGreaterThan(50);
    // Rows that were read from the source but not written yet: a chunk of text, or the sampled
    // rows.
    expect(ahead).toBeLessThan(5_000);
  }
});

test("without rows users see why, programs get an empty list", async () => {
  const [people, programs] = [open(), open({ isJson: true })];
  const options = { columns, empty: "no task matches" };
  await people.out.list([], options);
  await programs.out.list([], options);
  expect(people.stdout.text()).toBe("no task matches\n");
  expect(JSON.parse(programs.stdout.text())).toEqual([]);
});

test("keys that are wider than the terminal are whole, in lines of their own", async () => {
  const { out, stdout } = open({ columns: 20 });
  const keyed = columns.map((column) => ({ ...column, isKey: column.title === "text" }));
  await out.list(
    numbered(2, (id) => `${id}`.repeat(30)),
    { columns: keyed },
  );
  const record = (id: number) => `id    ${id}\ntext  ${`${id}`.repeat(30)}\nend   .\n\n`;
  expect(stdout.text()).toBe(record(1) + record(2));
});
