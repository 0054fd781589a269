import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { canColor, createOutput } from "./output.ts";
import { createTestStream } from "../testing/test-stream.ts";

interface OpenOptions {
  readonly isJson?: boolean;
  readonly isQuiet?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

function open(options: OpenOptions = {}) {
  const isTTY = options.columns !== undefined;
  const stdout = createTestStream({ isTTY, columns: options.columns, rows: options.rows });
  const stderr = createTestStream();
  const { isJson = false, isQuiet = false } = options;
  const out = createOutput({ stdout, stderr, isJson, isQuiet, hasColor: false });
  return { out, stdout, stderr };
}

test("a result is text for people and one JSON document for programs", () => {
  const people = open();
  people.out.result({ count: 2 }, "2 tasks");
  expect(people.stdout.text()).toBe("2 tasks\n");

  const programs = open({ isJson: true });
  programs.out.result({ count: 2 }, "2 tasks");
  expect(JSON.parse(programs.stdout.text())).toEqual({ count: 2 });
});

test("a table is a JSON array of its rows for programs", () => {
  const { out, stdout } = open({ isJson: true });
  out.table([{ a: 1, b: "hidden from people" }], [{ title: "a", value: (row) => row.a }]);
  expect(JSON.parse(stdout.text())).toEqual([{ a: 1, b: "hidden from people" }]);
});

test("tables are cut on a terminal and whole in a pipe", () => {
  const columns = [{ title: "text", value: (row: string) => row }];
  const rows = ["x".repeat(100)];
  const terminal = open({ columns: 40 });
  terminal.out.table(rows, columns);
  expect(terminal.stdout.text()).toContain(`${"x".repeat(39)}…`);

  const pipe = open();
  pipe.out.table(rows, columns);
  expect(pipe.stdout.text()).toContain(rows[0]);
});

test("commands in cells are completed as in other text, before widths are measured", async () => {
  const stdout = createTestStream({ isTTY: true, columns: 60 });
  const hint = (text: string) => text.replace("forager", "forager --data d");
  const isPlain = { isJson: false, isQuiet: false, hasColor: false };
  const out = createOutput({ stdout, stderr: createTestStream(), ...isPlain, hint });
  const columns = [
    { title: "next", value: (row: string) => row },
    { title: "count", value: () => 1 },
  ];
  out.table(["forager work"], columns);
  await out.list(["forager up"], { columns });
  await out.list([], { columns, empty: "none: forager add" });
  expect(stdout.text().split("\n")).toEqual([
    "next                   count",
    "forager --data d work      1",
    "next                 count",
    "forager --data d up      1",
    "none: forager --data d add",
    "",
  ]);
});

test("notes go to stderr, and nowhere with --quiet", () => {
  const loud = open();
  loud.out.note("three files were skipped");
  expect(loud.stderr.text()).toBe("three files were skipped\n");
  expect(loud.stdout.text()).toBe("");

  const quiet = open({ isQuiet: true });
  quiet.out.note("three files were skipped");
  expect(quiet.stderr.text()).toBe("");
});

test("colors need a terminal that can, and nobody who objects", () => {
  const terminal = createTestStream({ isTTY: true });
  expect(canColor(terminal, { env: { TERM: "xterm" }, isWanted: true })).toBe(true);
  expect(canColor(terminal, { env: { NO_COLOR: "" }, isWanted: true })).toBe(true);
  expect(canColor(terminal, { env: { NO_COLOR: "1" }, isWanted: true })).toBe(false);
  expect(canColor(terminal, { env: { TERM: "dumb" }, isWanted: true })).toBe(false);
  expect(canColor(terminal, { env: {}, isWanted: false })).toBe(false);
  expect(canColor(createTestStream(), { env: {}, isWanted: true })).toBe(false);
});

test("a result may be laid out for the terminal it meets", () => {
  const columns = [{ title: "text", value: (row: string) => row }];
  const { out, stdout } = open({ columns: 40 });
  out.result({}, (layout) => `before\n${layout.table(["x".repeat(100)], columns)}\nafter`);
  expect(stdout.text()).toBe(`before\ntext\n${"x".repeat(39)}…\nafter\n`);
});

const frame = (text: string) => ({ screen: () => text, line: () => "one line" });

test("a frame takes the place of the last one on a terminal, and is never higher than it", () => {
  const { out, stdout } = open({ columns: 40, rows: 3 });
  expect(out.isTerminal).toBe(true);
  out.frame({ n: 1 }, frame("a\nb\nc\nd"));
  out.frame({ n: 2 }, frame("e"));
  expect(stdout.writes).toEqual([
    "\u001b[2J\u001b[Ha\u001b[K\nb\u001b[K\n\u001b[J",
    "\u001b[He\u001b[K\n\u001b[J",
  ]);
});

test("a frame is one line elsewhere, and one JSON document per line for programs", () => {
  const pipe = open();
  pipe.out.frame({ n: 1 }, frame("screen"));
  expect(pipe.stdout.text()).toBe("one line\n");
  const programs = open({ isJson: true, columns: 40 });
  expect(programs.out.isTerminal).toBe(false);
  for (const n of [1, 2]) programs.out.frame({ n }, frame("screen"));
  expect(programs.stdout.text()).toBe('{"n":1}\n{"n":2}\n');
});

test("a piece waits for room, and for no longer than there is a reader", async () => {
  const stderr = createTestStream();
  for (const event of ["drain", "close", "error"]) {
    const stdout = new PassThrough({ highWaterMark: 1 });
    const out = createOutput({ stdout, stderr, isJson: false, isQuiet: false, hasColor: false });
    let isDone = false;
    const waiting = out.piece("long").then(() => (isDone = true));
    await new Promise((go) => setImmediate(go));
    expect(isDone).toBe(false);
    stdout.emit(event);
    await waiting;
    expect(stdout.listenerCount("drain")).toBe(0);
  }
});

test("whatever is printed, a terminal obeys none of it, and a pipe gets the exact text", async () => {
  const text = "a\u001b]0;x\u0007b\u009b2J";
  const print = async (options: OpenOptions) => {
    const { out, stdout, stderr } = open(options);
    out.result({ text }, text);
    await out.piece(`${text}\r\n`);
    out.frame({ text }, { screen: () => text, line: () => text });
    await out.list([text], { columns: [{ title: "text", value: (row) => row }] });
    out.note(text);
    return { shown: stdout.text(), noted: stderr.text() };
  };
  for (const isJson of [false, true]) {
    const { shown, noted } = await print({ columns: 80, rows: 24, isJson });
    // A frame contains escape sequences of its own.
    const ours = ["\u001b[2J\u001b[H", "\u001b[K", "\u001b[J"];
    const rest = ours.reduce((left, one) => left.replaceAll(one, ""), shown);
    // oxlint-disable-next-line no-control-regex -- control characters are what it is for
    expect(rest + noted).not.toMatch(/[\u001b\u0007\u009b]/);
    expect(rest).toContain("a\\u001b]0;x\\u0007b\\u009b2J");
  }
  expect((await print({})).shown).toContain(`${text}\n${text}\r\n${text}\n`);
});
