import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createTempFolder } from "../../config/testing/temp-folder.ts";
import type { Registry } from "../frame/command.ts";
import { createOutput } from "./output.ts";
import { openPager, type Pager } from "./pager.ts";
import { runCli } from "../frame/run-cli.ts";
import { createTestStream } from "../testing/test-stream.ts";

const columns = [{ title: "row", value: (row: number) => row }];

/** A pager that its user closes after a number of characters. */
function createFakePager({ closesAfter = Infinity } = {}) {
  const pager = { text: "", isOver: false, opened: 0 };
  const open = (): Pager => {
    pager.opened += 1;
    return {
      async write(text) {
        pager.text += text;
        return pager.text.length < closesAfter;
      },
      end: async () => void (pager.isOver = true),
    };
  };
  return { pager, open };
}

function createTerminal(openPager: () => Pager | undefined, isJson = false) {
  const stdout = createTestStream({ isTTY: true, columns: 80, rows: 10 });
  const stderr = createTestStream();
  const out = createOutput({ stdout, stderr, isJson, isQuiet: false, hasColor: false, openPager });
  return { out, stdout };
}

function* rowsTo(count: number, onRow: (row: number) => void = () => {}) {
  for (let row = 1; row <= count; row += 1) {
    onRow(row);
    yield row;
  }
}

test("a list that is longer than the screen goes to the pager, a short one and JSON do not", async () => {
  const { pager, open } = createFakePager();
  const short = createTerminal(open);
  await short.out.list(rowsTo(5), { columns });
  expect([short.stdout.text().split("\n"), pager.opened]).toEqual([
    ["row", "  1", "  2", "  3", "  4", "  5", ""],
    0,
  ]);
  const json = createTerminal(open, true);
  await json.out.list(rowsTo(500), { columns });
  expect([JSON.parse(json.stdout.text()), pager.opened]).toEqual([[...rowsTo(500)], 0]);

  const long = createTerminal(open);
  expect(await long.out.list(rowsTo(500), { columns })).toBe(500);
  expect(long.stdout.text()).toBe("");
  expect(pager).toMatchObject({ opened: 1, isOver: true });
  expect(pager.text.trimEnd().split("\n")).toHaveLength(501);
});

test("when the user closes the pager, nothing more is read", async () => {
  const { pager, open } = createFakePager({ closesAfter: 100_000 });
  const { out } = createTerminal(open);
  let read = 0;
  await out.list(
    rowsTo(10_000_000, (row) => (read = row)),
    { columns },
  );
  expect(read).toBeLessThan(100_000);
  expect(pager.isOver).toBe(true);
});

test("without a pager a long list is printed", async () => {
  const { out, stdout } = createTerminal(() => undefined);
  await out.list(rowsTo(500), { columns });
  expect(stdout.text().trimEnd().split("\n")).toHaveLength(501);
});

test("terminal escapes in a row do not reach the pager", async () => {
  const { pager, open } = createFakePager();
  const { out } = createTerminal(open);
  const names = Array.from({ length: 50 }, () => "a\u001b]0;title\u0007b");
  await out.list(names, { columns: [{ title: "name", value: (name: string) => name }] });
  expect(pager.text).not.toContain("\u001b");
});

test("$PAGER is run by the shell and gets all of it; `cat`, nothing and an unknown one mean none", async () => {
  const folder = createTempFolder();
  const file = join(folder, "seen");
  writeFileSync(join(folder, "mine"), `#!/bin/sh\ncat > "$1"\n`);
  chmodSync(join(folder, "mine"), 0o755);
  const env = { PATH: `${folder}:${process.env["PATH"]}` };
  const pager = openPager({ ...env, PAGER: `mine ${file}` })!;
  const text = "x".repeat(200_000);
  expect(await pager.write(text)).toBe(true);
  expect(await pager.write(text)).toBe(true);
  await pager.end();
  expect(readFileSync(file, "utf8")).toBe(text + text);
  for (const none of ["", "cat", "no-such-pager -x"]) {
    expect(openPager({ ...env, PAGER: none })).toBeUndefined();
  }
});

test("a pager that ends at once does not hang the command", async () => {
  const pager = openPager({ PATH: process.env["PATH"], PAGER: "true" })!;
  const text = "x".repeat(1_000_000);
  let isOpen = true;
  while (isOpen) isOpen = await pager.write(text);
  await pager.end();
});

test("--no-pager and output.pager = never switch it off", async () => {
  const registry: Registry = {
    nouns: {},
    commands: [
      {
        name: "rows",
        summary: "lists rows",
        load: async () => ({
          needs: "settings",
          examples: [],
          run: async ({ out }) => void (await out.list(rowsTo(100), { columns })),
        }),
      },
    ],
  };
  const folder = createTempFolder();
  const pagedBy = async (argv: readonly string[], env: Record<string, string> = {}) => {
    const { pager, open } = createFakePager();
    await runCli({
      argv: ["rows", ...argv],
      registry,
      version: "1.2.3",
      stdin: new PassThrough(),
      stdout: createTestStream({ isTTY: true, columns: 80, rows: 10 }),
      stderr: createTestStream(),
      env,
      cwd: folder,
      home: folder,
      clock: systemClock,
      signal: new AbortController().signal,
      openPager: open,
    });
    return pager.opened;
  };
  expect(await pagedBy([])).toBe(1);
  expect(await pagedBy(["--no-pager"])).toBe(0);
  expect(await pagedBy([], { FORAGER_OUTPUT_PAGER: "never" })).toBe(0);
});
