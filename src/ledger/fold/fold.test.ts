import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareDatagrams, dotOf, dotOfReference, type Datagram } from "../datagram/datagram.ts";
import { anyHistory } from "../testing/histories.ts";
import { nodeId, sessionId } from "../testing/histories.ts";
import { createCell, mergeInto } from "./cell.ts";
import { markerOf } from "./erased.ts";
import { laneOf, visibleOf } from "./lane.ts";
import { decodePart, encodePart } from "./part-file.ts";
import { foldInto, forgottenField, isForgotten, type PartState } from "./part-state.ts";

const folded = (datagrams: readonly Datagram[], part: PartState = new Map()) => {
  for (const datagram of datagrams) foldInto(part, datagram);
  return part;
};
const all = () => true;
const textOf = (datagrams: readonly Datagram[]) => encodePart(folded(datagrams), all);

/** A history and an order of it; `fc.shuffledSubarray` of full length is a shuffle. */
const shuffled = anyHistory.chain((history) =>
  fc.record({
    history: fc.constant(history),
    order: fc.shuffledSubarray([...history], {
      minLength: history.length,
      maxLength: history.length,
    }),
  }),
);

describe("fold", () => {
  test("commutative and associative: any order of any history gives the same bytes", () => {
    fc.assert(
      fc.property(shuffled, ({ history, order }) => {
        expect(textOf(order)).toBe(textOf(history));
      }),
      { numRuns: 400 },
    );
  });

  test("O6, lesson 36: fold(checkpoint + rest) = fold(all), wherever the checkpoint is made", () => {
    fc.assert(
      fc.property(shuffled, fc.nat(), ({ history, order }, cut) => {
        const at = cut % (order.length + 1);
        const first = order.slice(0, at);
        const known = new Set(first.map(dotOf));
        const checkpoint = encodePart(folded(first), (dot) => known.has(dot));
        const part = decodePart(checkpoint, "checkpoint");
        expect(encodePart(part, (dot) => known.has(dot))).toBe(checkpoint);
        expect(encodePart(folded(order.slice(at), part), all)).toBe(textOf(history));
      }),
      { numRuns: 400 },
    );
  });

  test("compaction last-write-wins: each field shows what its rules say, and keeps its conflicts", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const part = folded(history);
        const places = new Set(history.map(({ target, field }) => `${target} ${field}`));
        for (const place of places) {
          const [target = "", field = ""] = place.split(" ");
          const fields = part.get(target)!;
          const own = history.filter((one) => one.target === target);
          const floor = own
            .filter((one) => one.field === forgottenField)
            .map(({ stamp }) => stamp)
            .toSorted()
            .at(-1);
          const erasedAt = own
            .filter((one) => one.field === markerOf("salt", { target, field }))
            .map(({ stamp }) => stamp)
            .toSorted()
            .at(-1);
          const counted = own.filter(
            (one) =>
              one.field === field &&
              (field === forgottenField || floor === undefined || one.stamp > floor) &&
              (erasedAt === undefined ||
                one.stamp > erasedAt ||
                (one.stamp === erasedAt && one.value !== undefined)),
          );
          const named = new Set(own.map(({ causality }) => dotOfReference(causality)));
          const inLane = (lane: number) =>
            counted.filter((one) => laneOf(one) === lane).toSorted(compareDatagrams);
          const winners = [0, 1, 2].map((lane) => inLane(lane).at(-1));
          const losers = [0, 1, 2].flatMap((lane) => inLane(lane).slice(0, -1));
          const conflicts = losers.filter((one) => !named.has(dotOf(one)));
          const cell = fields.get(field) ?? createCell();
          expect(cell.lanes.map((entry) => entry?.datagram)).toEqual(winners);
          expect(cell.conflicts.toSorted(compareDatagrams)).toEqual(
            conflicts.toSorted(compareDatagrams),
          );
        }
      }),
      { numRuns: 400 },
    );
  });
});

let numbers = 0;
const write = (value: unknown, more: Partial<Datagram> & { readonly atMs: number }): Datagram => {
  const { atMs, ...rest } = more;
  const number = ++numbers;
  return {
    stamp: `2026-01-01T00:00:00.${String(atMs).padStart(3, "0")}Z-0000`,
    node: nodeId(1),
    session: sessionId(1),
    number,
    commit: number,
    target: "company/a",
    field: "phone",
    value: value === undefined ? undefined : JSON.stringify(value),
    source: "site:https://a.b",
    causality: "",
    ...rest,
  };
};
const shown = (datagrams: readonly Datagram[]) =>
  visibleOf(
    datagrams.reduce((cell, datagram) => {
      mergeInto(cell, datagram);
      return cell;
    }, createCell()),
  )?.value;

describe("what a field shows", () => {
  test("the last write of a machine, whatever arrives last", () => {
    expect(shown([write("new", { atMs: 2 }), write("old", { atMs: 1 })])).toBe('"new"');
  });

  test("what a user wrote wins over machines, earlier and later ones", () => {
    const hand = write("hand", { atMs: 2, source: "hand:anna" });
    expect(shown([write("a", { atMs: 1 }), hand, write("b", { atMs: 3 })])).toBe('"hand"');
  });

  test("a hand's unset takes the value away, and lets later machines in", () => {
    const hand = write("hand", { atMs: 2, source: "hand:anna" });
    const unset = write(undefined, { atMs: 4, source: "hand:bob" });
    expect(shown([write("a", { atMs: 1 }), hand, write("b", { atMs: 3 }), unset])).toBeUndefined();
    expect(shown([unset, write("c", { atMs: 5 }), hand])).toBe('"c"');
  });

  test("lesson 43: a name from a place beats a later one from a site, no other field does", () => {
    const place = { atMs: 1, source: "place:osm/1" };
    const named = (value: string, more: { atMs: number; source?: string }) =>
      write(value, { ...more, field: "name" });
    expect(shown([named("Rossi", place), named("403 Forbidden", { atMs: 9 })])).toBe('"Rossi"');
    expect(shown([write("1", place), write("2", { atMs: 9 })])).toBe('"2"');
  });

  test("unset keeps its clock: an older value that comes late does not come back", () => {
    expect(shown([write(undefined, { atMs: 5 }), write("late", { atMs: 4 })])).toBeUndefined();
  });
});

describe("forget", () => {
  const value = (atMs: number) => write("secret", { atMs });
  const forget = (atMs: number) =>
    write("asked", { atMs, field: forgottenField, source: "hand:anna" });
  const unforget = (atMs: number) =>
    write(undefined, { atMs, field: forgottenField, source: "hand:anna" });

  test("sticky: what was there is gone from the bytes, and what comes later is not shown", () => {
    const text = textOf([value(1), forget(5), value(3)]);
    expect(text).not.toContain("secret");
    const later = folded([forget(5), value(7)]).get("company/a")!;
    expect(isForgotten(later)).toBe(true);
  });

  test("after unforget only what was written since counts", () => {
    const fields = folded([value(1), forget(5), value(7), unforget(8), value(9)]).get("company/a")!;
    expect(isForgotten(fields)).toBe(false);
    expect(visibleOf(fields.get("phone")!)?.stamp).toContain(".009Z");
    expect(
      folded([forget(5), unforget(8), value(7)])
        .get("company/a")!
        .has("phone"),
    ).toBe(false);
  });
});

describe("erase", () => {
  const place = { target: "company/a", field: "phone" };
  const erase = (atMs: number) =>
    write("phone", { atMs, field: markerOf("salt", place), source: "hand:anna" });

  test("no record of the field stays, not even of its removal or of a conflict", () => {
    const lost = write("lost", { atMs: 1, source: "hand:bob", node: nodeId(2) });
    const unset = write(undefined, { atMs: 5, source: "hand:anna" });
    const text = textOf([lost, write("secret", { atMs: 2, source: "hand:anna" }), unset, erase(5)]);
    for (const word of ["phone\u001f", "secret", "lost"]) expect(text).not.toContain(word);
    expect(text).toContain("erased/salt.");
  });

  test("a value of the same commit and later ones count, and other targets and fields stay", () => {
    expect(textOf([erase(5), write("same", { atMs: 5 })])).toContain("same");
    expect(textOf([write("later", { atMs: 6 }), erase(5)])).toContain("later");
    const others = [
      write("b", { atMs: 1, target: "company/b" }),
      write("fax", { atMs: 1, field: "fax" }),
    ];
    const text = textOf([...others, erase(5)]);
    expect(text).toContain('"b"');
    expect(text).toContain('"fax"');
  });

  test("what an earlier version left in a part goes when the part is read", () => {
    const [value, marker] = [textOf([write("old", { atMs: 1 })]), textOf([erase(5)])];
    const both = value + marker.slice(marker.indexOf("\n") + 1);
    expect(encodePart(decodePart(both, "p"), all)).toBe(marker);
  });
});

test("a part of a newer version, of something else, or half of one is refused", () => {
  expect(() => decodePart("forager-part\u001f2\u001f\u001e\n", "p")).toThrow(/newer version/);
  expect(() => decodePart("name,phone\n", "p")).toThrow(/not a part of forager/);
  expect(() => decodePart("", "p")).toThrow(/it is empty, or cut off/);
  const text = textOf([write("a", { atMs: 1 })]);
  expect(() => decodePart(text.replace("phone", "phonf"), "p")).toThrow(/checksum/);
});
