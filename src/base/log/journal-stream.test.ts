import { closeSync, fstatSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { isJournalStream, toJournalLine } from "./pino-logger.ts";

test("the journal is identified by device and inode, not by the variable alone", () => {
  const fd = openSync("/dev/null", "r");
  const { dev, ino } = fstatSync(fd);
  expect(isJournalStream(`${dev}:${ino}`, fd)).toBe(true);
  expect(isJournalStream(`${dev}:${ino + 1}`, fd)).toBe(false);
  expect(isJournalStream("", fd)).toBe(false);
  expect(isJournalStream(undefined, fd)).toBe(false);
  closeSync(fd);
  expect(isJournalStream(`${dev}:${ino}`, fd)).toBe(false);
});

test.each([
  ["error", 3],
  ["warn", 4],
  ["info", 6],
  ["debug", 7],
])("a line of the level %s has the severity %i, and no time of its own", (level, severity) => {
  const line = `{"level":"${level}","time":"2026-07-01T10:00:00.000Z","taskId":4,"msg":"lease lost"}\n`;
  expect(toJournalLine(line)).toBe(
    `<${severity}>{"level":"${level}","taskId":4,"msg":"lease lost"}\n`,
  );
});

test("a time in a field of the line stays", () => {
  const line = `{"level":"info","time":"T","msg":"a","due":{"time":"later","x":1}}\n`;
  expect(toJournalLine(line)).toContain('"due":{"time":"later","x":1}');
});
