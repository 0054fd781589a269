import fc from "fast-check";
import { expect, test } from "vitest";
import { digitsIn, joinedMarks, marks, marksOf } from "./marks.ts";

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..." a Z 7 @ : - ( . , \n \t \u0001 é ＠".split(" "), " "),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});

test("marks say exactly what is in a text", () => {
  fc.assert(
    fc.property(text, (read) => {
      const bits = marksOf(read);
      const has = (mark: number) => (bits & mark) !== 0;
      expect(digitsIn(bits)).toBe(read.replace(/\D/g, "").length);
      expect(has(marks.digit)).toBe(/\d/.test(read));
      expect(has(marks.at)).toBe(read.includes("@"));
      expect(has(marks.colon)).toBe(read.includes(":"));
      expect(has(marks.bracket)).toBe(/[[({<|*/_~-]/.test(read));
      expect(has(marks.wide)).toBe(/[\u0080-\uffff]/.test(read));
      // oxlint-disable-next-line no-control-regex -- those are what it asks for
      expect(has(marks.odd)).toBe(/[\0-\x1f\x7f]| {2}/.test(read));
      expect(has(marks.word)).toBe(/[^\t-\r ]/.test(read));
    }),
    { numRuns: 1_000 },
  );
});

test("joined marks miss nothing of either text", () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const joined = joinedMarks(marksOf(first), marksOf(second));
      // Two single spaces may meet: then a builder of lines drops one of them.
      const whole = marksOf(first + second) & ~marks.odd;
      expect(joined & whole & 0xff).toBe(whole & 0xff);
      expect(digitsIn(joined)).toBe(digitsIn(whole));
    }),
  );
});
