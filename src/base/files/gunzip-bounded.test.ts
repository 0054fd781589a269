// process: own
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { gunzipBounded } from "./gunzip-bounded.ts";
import { gzipBomb, peakRaisedMb } from "../testing/gzip-bomb.ts";

const limits = { bytesMax: 64 * 2 ** 20, start: "{" };

/** The same member with another length in its trailer. */
function withLength(packed: Buffer, length: number): Buffer {
  const changed = Buffer.from(packed);
  changed.writeUInt32LE(length, packed.length - 4);
  return changed;
}

test("gives back what was packed, whatever its length", () => {
  const levels = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), levels, (bytes, level) => {
      const unpacked = gunzipBounded(gzipSync(bytes, { level }), limits);
      expect(unpacked.equals(bytes)).toBe(true);
    }),
  );
  const long = Buffer.from(`{${"grün ".repeat(1_000_000)}`);
  expect(gunzipBounded(gzipSync(long), limits).equals(long)).toBe(true);
});

test.each([
  ["longer than the format allows", gzipBomb({ mebibytes: 300, fill: "{" })],
  ["not of the format", gzipBomb({ mebibytes: 60 })],
  ["longer than it states", gzipBomb({ mebibytes: 300, fill: "{", statedBytes: 1_000 })],
  [
    "longer than it states, in a second member",
    Buffer.concat([gzipBomb({ mebibytes: 300, fill: "{" }), gzipSync("{}")]),
  ],
])("a bomb that is %s is refused, and costs no memory", (_, bomb) => {
  expect(bomb.length).toBeLessThan(400_000);
  const raised = peakRaisedMb(() => expect(() => gunzipBounded(bomb, limits)).toThrow());
  expect(raised).toBeLessThan(32);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["no gzip", Buffer.from("this is not packed at all")],
  ["a cut member", gzipSync("some text that is long enough to be cut").subarray(0, -9)],
  ["a member that is shorter than it states", withLength(gzipSync("{}"), 3)],
])("%s is refused", (_, bytes) => {
  expect(() => gunzipBounded(bytes, limits)).toThrow();
});
