import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSortedMerge, type SourcePage } from "./sorted-merge.ts";

interface Item {
  readonly id: number;
  rank: number;
}

/** A line over `lists`, which counts what it reads. */
function lineOf(lists: readonly (readonly number[])[]) {
  let lastId = 0;
  const sources = lists.map((ranks) =>
    ranks.toSorted((a, b) => a - b).map((rank): Item => ({ id: (lastId += 1), rank })),
  );
  const items = sources.flat();
  const gone = new Set<Item>();
  const first = new Map(items.map((item) => [item, [item.rank, item.id]]));
  const reads = { rows: 0, pages: 0 };
  const line = createSortedMerge<Item>({
    sources: sources.map((source) => ({ limit, offset }: SourcePage) => {
      const page = source.slice(offset, offset + limit);
      reads.pages += 1;
      reads.rows += page.length;
      return page.map((item) => ({ item, rank: first.get(item)! }));
    }),
    rankOf: (item) => (gone.has(item) ? undefined : [item.rank, item.id]),
  });
  const sorted = () =>
    items.filter((item) => !gone.has(item)).sort((a, b) => a.rank - b.rank || a.id - b.id);
  return { line, items, gone, reads, sorted };
}

function look<T>(line: Iterable<T>, count: number): readonly T[] {
  const seen: T[] = [];
  for (const item of line) if (seen.push(item) >= count) break;
  return seen;
}

const change = fc.record({
  index: fc.nat(),
  worseBy: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  count: fc.integer({ min: 1, max: 12 }),
});

describe("line", () => {
  test("the best come first, whatever has become worse or gone since it was read", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(30), { maxLength: 30 }), { maxLength: 3 }),
        fc.array(change, { maxLength: 30 }),
        (lists, changes) => {
          const { line, items, gone, sorted } = lineOf(lists);
          for (const { index, worseBy, count } of changes) {
            expect(look(line, count)).toEqual(sorted().slice(0, count));
            // Mostly at the front, where it matters.
            const item = index % 3 === 0 ? items[index % items.length] : sorted()[0];
            if (item && worseBy === undefined) gone.add(item);
            else if (item) item.rank += worseBy!;
          }
          expect([...line]).toEqual(sorted());
        },
      ),
      { numRuns: 500 },
    );
  });

  test("what nobody looks at is not read", () => {
    const { line, items, gone, reads } = lineOf([Array.from({ length: 100_000 }, (_, n) => n)]);
    look(line, 1);
    expect(reads).toEqual({ rows: 2, pages: 1 });
    look(line, 50);
    expect(reads.rows).toBeLessThan(130);
    expect(reads.pages).toBeLessThan(8);
    for (const item of items.slice(0, 20)) gone.add(item);
    look(line, 50);
    expect(reads.rows).toBeLessThan(130);
  });
});
