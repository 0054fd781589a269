import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Datagram } from "../datagram/datagram.ts";
import { anyHistory } from "../testing/histories.ts";
import { decodePart, decodeTarget, encodePart } from "./part-file.ts";
import { foldInto, type PartState } from "./part-state.ts";
import { splitPart } from "./part-text.ts";

/** Names as people and machines give them: some begin alike, some hold what has to be escaped. */
const anyName = fc.oneof(
  fc.constantFrom("company/a", "company/aa", "company/a\u001e\nb", "company/\u001b", "zürich/ß"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
);

const textOf = (history: readonly Datagram[], names: readonly string[]) => {
  const part: PartState = new Map();
  const targets = [...new Set(history.map(({ target }) => target))];
  for (const datagram of history) {
    const target = names[targets.indexOf(datagram.target) % names.length]!;
    foldInto(part, { ...datagram, target });
  }
  // Nothing counts as arrived, so that names of what is missing stand in it too.
  return encodePart(part, () => false);
};
const anyPart = fc.tuple(anyHistory, fc.uniqueArray(anyName, { minLength: 1, maxLength: 6 }));

/** Of the pieces that a text is read in. */
const anyLength = fc.integer({ min: 1, max: 400 });

describe("the text of a part", () => {
  test("each target reads as if all of it were decoded, and no other is there", () => {
    fc.assert(
      fc.property(anyPart, anyName, anyLength, ([history, names], other, pieceLength) => {
        const text = textOf(history, names);
        const decoded = decodePart(text, "part");
        const all = [...splitPart(text, "part", pieceLength)];
        const split = new Map(all.map((one) => [one.target, one]));
        expect(split.size).toBe(all.length);
        for (const target of [...decoded.keys(), other, "", "\uffff"]) {
          const found = split.get(target);
          expect(found && decodeTarget(target, found.text)).toEqual(decoded.get(target));
          const conflicts = [...(decoded.get(target)?.values() ?? [])].flatMap(
            (one) => one.conflicts,
          );
          expect(found?.isConflicted ?? false).toBe(conflicts.length > 0);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("its targets are those that are in it, in order", () => {
    fc.assert(
      fc.property(anyPart, ([history, names]) => {
        const text = textOf(history, names);
        const targets = [...splitPart(text, "part")].map(({ target }) => target);
        expect(targets).toEqual([...decodePart(text, "part").keys()]);
      }),
    );
  });

  test("one that is not in order is refused: targets in it could not be found", () => {
    const text = textOf(threeTargets(), ["a", "b", "c"]);
    const [header = "", ...lines] = text.split(/(?<=\n)/u);
    const open = (text: string) => () => [...splitPart(text, "part 7")];
    expect(open([header, ...lines].join(""))).not.toThrow();
    expect(open([header, ...lines.toReversed()].join(""))).toThrow("part 7 is not a part");
    expect(open([header, ...lines].join("").slice(0, -1))).toThrow("cut off");
    expect(open("")).toThrow("cut off");
    expect(open("something else")).toThrow("not a part of forager");
  });
});

function threeTargets(): readonly Datagram[] {
  const [one] = fc.sample(
    anyHistory.filter((history) => history.length > 0),
    { numRuns: 1, seed: 1 },
  )[0]!;
  return ["x", "y", "z"].map((target) => ({ ...one!, target }));
}
