import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createConfirm } from "./confirm.ts";
import { createTestStream } from "../testing/test-stream.ts";

function open({ isTTY = true } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = createTestStream({ isTTY });
  const stopping = new AbortController();
  const confirm = createConfirm({ stdin, stderr, signal: stopping.signal });
  return { stdin, stderr, stopping, confirm };
}

test.each([
  ["y\n", true],
  ["YES\n", true],
  ["n\n", false],
  ["\n", false],
  ["yeah, no\n", false],
])("the answer %j means %j", async (answer, expected) => {
  const { stdin, stderr, confirm } = open();
  stdin.write(answer);
  expect(await confirm("Delete 3 tasks?", { yes: false })).toBe(expected);
  expect(stderr.text()).toBe("Delete 3 tasks? [y/N] ");
});

test("the end of input (Ctrl-D) means no", async () => {
  const { stdin, confirm } = open();
  stdin.end();
  expect(await confirm("Delete?", { yes: false })).toBe(false);
});

test("--yes asks nothing", async () => {
  const { stderr, confirm } = open({ isTTY: false });
  expect(await confirm("Delete?", { yes: true })).toBe(true);
  expect(stderr.text()).toBe("");
});

test("without a terminal it is a usage error that names --yes", async () => {
  const { confirm } = open({ isTTY: false });
  await expect(confirm("Delete?", { yes: false })).rejects.toMatchObject({
    kind: "invalid",
    code: "usage",
    message: expect.stringContaining("--yes") as string,
  });
});

test("a stop while waiting for the answer ends the question", async () => {
  const { stopping, confirm } = open();
  const answer = confirm("Delete?", { yes: false });
  stopping.abort();
  await expect(answer).rejects.toMatchObject({ kind: "aborted" });
});
