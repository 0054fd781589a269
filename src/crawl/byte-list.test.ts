import fc from "fast-check";
import { expect, test } from "vitest";
import { createByteList } from "./byte-list.ts";

const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(9_000), fc.nat(100_000)), { maxLength: 40 });

/** A sequence of pieces in which every byte differs from its neighbours. */
function piecesOf(lengths: readonly number[]): readonly Buffer[] {
  let at = 0;
  return lengths.map((length) => Buffer.from(Array.from({ length }, () => at++ % 251)));
}

test("what goes in comes out in order, as one", () => {
  fc.assert(
    fc.property(sizes, (lengths) => {
      const list = createByteList();
      const pieces = piecesOf(lengths);
      for (const piece of pieces) list.push(piece);
      expect(list.length).toBe(lengths.reduce((sum, length) => sum + length, 0));
      expect(Buffer.concat(pieces).equals(list.concat())).toBe(true);
      expect(Buffer.concat(pieces).equals(list.concat())).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("what goes in comes out in order, taken out at any moment", () => {
  fc.assert(
    fc.property(sizes, fc.array(fc.boolean(), { maxLength: 40 }), (lengths, isTaken) => {
      const list = createByteList();
      const pieces = piecesOf(lengths);
      const taken: Uint8Array[] = [];
      for (const [at, piece] of pieces.entries()) {
        list.push(piece);
        const next = isTaken[at] ? list.shift() : undefined;
        if (next) taken.push(next);
      }
      for (let next = list.shift(); next; next = list.shift()) taken.push(next);
      expect(Buffer.concat(pieces).equals(Buffer.concat(taken))).toBe(true);
      expect(list.length).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test("a hundred thousand pieces of one letter are a few blocks", () => {
  const list = createByteList();
  for (let count = 0; count < 100_000; count++) list.push(Buffer.from("x"));
  let blocks = 0;
  while (list.shift()) blocks += 1;
  expect(blocks).toBeLessThan(5);
});
