import { describe, expect, test } from "vitest";
import { createMemoryDisk } from "../testing/memory-disk.ts";
import { createSegmentLog } from "./segment-log.ts";

const file = "ledger/segments.usv";
const [key, other] = [`${"a".repeat(13)}/${"b".repeat(26)}`, `${"a".repeat(13)}/${"c".repeat(26)}`];

function open(files = new Map<string, Uint8Array>()) {
  return { files, log: createSegmentLog(createMemoryDisk({ files })) };
}
const textOf = (files: ReadonlyMap<string, Uint8Array>) =>
  Buffer.from(files.get(file) ?? []).toString();

async function filled() {
  const opened = open();
  await opened.log.record(key, 1, { last: 3, bytes: 100 });
  await opened.log.record(key, 4, { last: 9, bytes: 200 });
  await opened.log.record(other, 1, { last: 1, bytes: 50 });
  return opened;
}

describe("the log of segments", () => {
  test("is one line for each, and read back by the next life; the last line counts", async () => {
    const { files, log } = await filled();
    await log.record(key, 4, { last: 9, bytes: 222 });
    await log.record(key, 4, { last: 9, bytes: 222 });
    expect(textOf(files).split("\n")).toEqual([
      "forager-segments\u001f1\u001f\u001e",
      `${key}\u001f1\u001f3\u001f100\u001f\u001e`,
      `${key}\u001f4\u001f9\u001f200\u001f\u001e`,
      `${other}\u001f1\u001f1\u001f50\u001f\u001e`,
      `${key}\u001f4\u001f9\u001f222\u001f\u001e`,
      "",
    ]);
    const next = open(files).log;
    expect(await next.endOf(key, 1)).toEqual({ last: 3, bytes: 100 });
    expect(await next.endOf(key, 4)).toEqual({ last: 9, bytes: 222 });
    expect(await next.endOf(key, 2)).toBeUndefined();
  });

  test("cut at any byte it opens with whole lines, and continues from there", async () => {
    const { files } = await filled();
    const whole = files.get(file)!;
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      const { files: left, log } = open(new Map([[file, whole.slice(0, bytes)]]));
      await log.record(other, 5, { last: 6, bytes: 70 });
      const next = open(left).log;
      expect(await next.endOf(other, 5), `cut at ${bytes}`).toEqual({ last: 6, bytes: 70 });
      expect([undefined, 3]).toContain((await next.endOf(key, 1))?.last);
    }
  });

  test("a failed write is made good by the next one", async () => {
    const files = new Map<string, Uint8Array>();
    const disk = createMemoryDisk({ files });
    let isFull = false;
    const log = createSegmentLog({
      ...disk,
      async append(name, bytes) {
        if (isFull) await disk.append(name, bytes.slice(0, 9));
        if (isFull) throw new Error("full");
        await disk.append(name, bytes);
      },
    });
    await log.record(key, 1, { last: 3, bytes: 100 });
    isFull = true;
    await expect(log.record(key, 4, { last: 9, bytes: 200 })).rejects.toThrow("full");
    isFull = false;
    await log.record(key, 4, { last: 9, bytes: 200 });
    expect(await open(files).log.endOf(key, 4)).toEqual({ last: 9, bytes: 200 });
  });

  test("forgets what a checkpoint covers", async () => {
    const { files, log } = await filled();
    await log.dropCovered(new Map([[key, 5]]));
    const next = open(files).log;
    expect(await next.endOf(key, 1)).toBeUndefined();
    expect(await next.endOf(key, 4)).toEqual({ last: 9, bytes: 200 });
    await next.dropCovered(
      new Map([
        [key, 9],
        [other, 1],
      ]),
    );
    expect(textOf(files).split("\n")).toHaveLength(2);
  });

  test("of something else it is empty; of a newer version it is refused, and left as it is", async () => {
    const { log } = open(new Map([[file, Buffer.from("something else\n")]]));
    expect(await log.endOf(key, 1)).toBeUndefined();
    const newer = Buffer.from("forager-segments\u001f2\u001f\u001e\n");
    const { files, log: refused } = open(new Map([[file, newer]]));
    await expect(refused.record(key, 1, { last: 3, bytes: 1 })).rejects.toThrow("newer version");
    expect(files.get(file)).toBe(newer);
  });
});
