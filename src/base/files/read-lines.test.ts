import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./read-lines.ts";

async function read(chunks: readonly Buffer[], lineBytesMax = 1_000) {
  const lines: (string | undefined)[] = [];
  let bytes = 0;
  const source = (async function* () {
    yield* chunks;
  })();
  for await (const part of readLines(source, lineBytesMax)) {
    for (const line of part.lines) {
      expect(line.number).toBe(lines.length + 1);
      lines.push(line.bytes?.toString("latin1"));
    }
    bytes += part.bytesRead;
  }
  return { lines, bytes };
}

test("lines are the same however the bytes are cut", async () => {
  const chunk = fc.array(fc.constantFrom("a", "b", "\r", "\n")).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(fc.array(chunk), async (chunks) => {
      const whole = chunks.join("");
      const expected = whole.split("\n");
      if (expected.at(-1) === "") expected.pop();
      const { lines, bytes } = await read(chunks.map((text) => Buffer.from(text)));
      expect(lines).toEqual(expected);
      expect(bytes).toBe(whole.length);
    }),
  );
});

test("a line that is too long is counted and skipped, wherever it is cut", async () => {
  for (const chunkBytes of [1, 3, 7, 100]) {
    const text = Buffer.from(`${"x".repeat(10)}\n${"y".repeat(11)}\nz\n${"y".repeat(50)}`);
    const chunks: Buffer[] = [];
    for (let at = 0; at < text.length; at += chunkBytes) {
      chunks.push(text.subarray(at, at + chunkBytes));
    }
    expect((await read(chunks, 10)).lines).toEqual(["x".repeat(10), undefined, "z", undefined]);
  }
});
