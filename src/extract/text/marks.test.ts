import fc from "fast-check";
import { expect, test } from "vitest";
import { shown } from "./characters.ts";
import { digitsIn, findTextEnd, joinedMarks, marks, marksOf } from "./marks.ts";

const cues =
  "at ät arroba Arobase chiocciola klammeraffe snabel-a apenstaartje zavináč kukac małpa собака at-sign Copyright".split(
    " ",
  );
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ..." a Z 7 @ : - ( . , & \n \t \u0001 \u00ad \u00a0 \u200b \u3000 é 😀 ＠ ７".split(" "),
      " ",
    ),
    fc.constantFrom(...cues),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});
/** As the collectors of emails and names look for them. */
const cue = new RegExp(`(?:^| )(?:${cues.slice(0, -1).join("|")}) |(?<![a-z])copyright`, "i");

test("marks say exactly what is in a text", () => {
  fc.assert(
    fc.property(text, (read) => {
      const bits = marksOf(read);
      const has = (mark: number) => (bits & mark) !== 0;
      expect(digitsIn(bits)).toBe(read.replace(/[^\d０-９]/g, "").length);
      expect(has(marks.digit)).toBe(/[\d０-９]/.test(read));
      expect(has(marks.at)).toBe(/[@＠﹫]/.test(read));
      expect(has(marks.colon)).toBe(read.includes(":"));
      expect(has(marks.bracket)).toBe(/[[({<|*/_~-]/.test(read));
      expect(has(marks.wide)).toBe(/[\u0080-\uffff]/.test(read));
      expect(has(marks.capital)).toBe(/[A-Z]/.test(read));
      expect(has(marks.reference)).toBe(read.includes("&"));
      expect(has(marks.odd)).toBe(
        // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- those are what it asks for
        /[\0-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff9-\ufffb]| {2}/.test(
          read,
        ),
      );
      expect(has(marks.word)).toBe(/[^\t-\r ]/.test(read));
    }),
    { numRuns: 1_000 },
  );
});

test("joined marks miss nothing of either text, nor of a word that is split between them", () => {
  fc.assert(
    fc.property(text, fc.nat(40), (read, at) => {
      const first = read.slice(0, at);
      const second = read.slice(at);
      const joined = joinedMarks(marksOf(first), marksOf(second));
      // Two single spaces may meet: then a builder of lines drops one of them.
      const parts = (marksOf(first) | marksOf(second)) & 0x3ff;
      expect(joined & parts).toBe(parts);
      expect(digitsIn(joined)).toBe(digitsIn(marksOf(read)));
      if (cue.test(shown(read))) expect(joined & marks.cue).not.toBe(0);
    }),
    { numRuns: 2_000 },
  );
});

test("a part of a page has the marks of its text", () => {
  fc.assert(
    fc.property(text, text, (before, read) => {
      const plain = read.replaceAll("<", "");
      const page = `${before}${plain}<b>`;
      const end = { at: 0, bits: 0 };
      const codes = Uint16Array.from({ length: page.length }, (_, at) => page.charCodeAt(at));
      findTextEnd(codes, before.length, end);
      expect(end).toEqual({ at: before.length + plain.length, bits: marksOf(plain) });
    }),
  );
});
