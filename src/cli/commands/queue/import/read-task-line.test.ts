import { expect, test } from "vitest";
import { createTestClock } from "../../../../base/testing/test-clock.ts";
import { createTaskLineReader } from "./read-task-line.ts";

const reader = createTaskLineReader({ clock: createTestClock() });
const bytesOf = (text: string | Buffer) => (typeof text === "string" ? Buffer.from(text) : text);
const read = (text: string | Buffer, number = 1) => reader({ number, bytes: bytesOf(text) });
const taskOf = (text: string, number?: number) => {
  const line = read(text, number);
  if (line.kind !== "task") throw new Error(`not a task: ${JSON.stringify(line)}`);
  return line.task;
};

test("all fields of a task pass, and nothing is added to them", () => {
  const task = {
    kind: "fetch",
    payload: { a: [1, null] },
    key: "k",
    job: "j",
    gate: "g",
    priority: 0,
    dueAtMs: 5,
    attemptsMax: 1,
  };
  expect(taskOf(JSON.stringify(task))).toEqual(task);
});

test("a line without a key gets one made of its text, without ends and margins", () => {
  const key = taskOf('{"kind":"a"}').key;
  expect(key).toMatch(/^line-[0-9a-f]{32}$/);
  expect(taskOf('  {"kind":"a"}\r', 7).key).toBe(key);
  expect(taskOf('\ufeff{"kind":"a"}').key).toBe(key);
  expect(taskOf('{"kind":"b"}').key).not.toBe(key);
});

test("empty lines are not tasks", () => {
  for (const text of ["", "\r", "  \t", "\ufeff"]) expect(read(text)).toEqual({ kind: "empty" });
});

test.each([
  ["nope", /^it is not JSON: /],
  ["[1]", "it is not a JSON object"],
  ["null", "it is not a JSON object"],
  ['{"payload":1}', "kind is empty or not a text"],
  ['{"kind":""}', "kind is empty or not a text"],
  ['{"kind":"a","prioritty":1}', "unknown field 'prioritty': the nearest is priority"],
  ['{"kind":"a","due_at":1}', "the nearest is dueAtMs"],
  ['{"kind":"a","__proto__":{}}', "unknown field '__proto__'"],
  ['{"kind":"a","delayMs":-1}', "delayMs is -1"],
  ['{"kind":"a","delayMs":1,"dueAtMs":1}', "give one of them"],
  ['{"kind":"a","priority":"high"}', "priority is high"],
  ['{"kind":"a","job":5}', "job is empty or not a text"],
  [`{"kind":"a","payload":"${"x".repeat(262_144)}"}`, "the limit is 262144"],
])("%s is wrong", (text, message) => {
  const line = read(text);
  expect(line).toMatchObject({ kind: "wrong", text: expect.stringMatching(message) as string });
});

test("bytes that are not UTF-8 and lines that were skipped are wrong", () => {
  expect(read(Buffer.from([0x7b, 0xff]))).toEqual({ kind: "wrong", text: "it is not UTF-8" });
  expect(reader({ number: 1, bytes: undefined })).toEqual({
    kind: "wrong",
    text: "it is longer than 1048576 bytes",
  });
});
