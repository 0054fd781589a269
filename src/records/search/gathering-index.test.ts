import { describe, expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { gatherIndex } from "./gathering-index.ts";
import type { IndexBatch, RecordIndex } from "./record-index.ts";
import { createMemoryRecordIndex } from "../testing/memory-record-index.ts";
import { company, person } from "../testing/sample-records.ts";

/** A memory index whose replacement applies a batch when the test says so. */
function openSlowIndex() {
  const stored = createMemoryRecordIndex();
  const open: { batch: IndexBatch; done(error?: Error): void }[] = [];
  let discarded = 0;
  const index: RecordIndex = {
    ...stored,
    startReplacement() {
      const replacement = stored.startReplacement();
      return {
        ...replacement,
        load: (batch) =>
          new Promise<void>((resolve, reject) => {
            const done = (error?: Error) =>
              error ? reject(error) : resolve(replacement.load(batch));
            open.push({ batch, done });
          }),
        [Symbol.asyncDispose]: async () => void (discarded += 1),
      };
    },
  };
  return { stored, index: gatherIndex(index), open, discarded: () => discarded };
}

const mark = { target: "company/a", folder: "companies/acme", rev: "1" };
const acme = { name: "Acme", slugWanted: "acme", people: [{ id: "anna" }] };
const contested = {
  winners: new Map([["company/acme", "company/a"]]),
  contested: new Set(["company/acme"]),
};

describe("a fill of a new index", () => {
  test("shows what is being loaded, and what has changed since", async () => {
    const { stored, index, open } = openSlowIndex();
    index.fill(contested);
    index.put(company("a", { ...acme, slug: "acme" }));
    index.put(company("b", { ...acme, slug: "acme-b" }));
    index.put(person("anna"));
    index.mark(mark);
    await index.apply();
    expect(stored.find("company/a")).toBeUndefined();
    expect(index.size()).toBe(0);
    const seen = () => ({
      a: index.find("company/a"),
      mark: index.render("company/a"),
      slug: index.bySlug("company", "acme-b"),
      wanting: index.wanting("company", "acme"),
      employers: index.byPerson("anna"),
    });
    const both = ["company/a", "company/b"];
    const expected = {
      a: company("a", { ...acme, slug: "acme" }),
      mark,
      slug: "company/b",
      wanting: both,
      employers: both,
    };
    expect(seen()).toEqual(expected);
    // Changed again before the first change was applied: the older one does not count any more.
    index.put(company("b", { name: "Beta", slug: "beta", slugWanted: "beta" }));
    index.unmark("company/a");
    const changed = {
      ...expected,
      mark: undefined,
      slug: undefined,
      wanting: ["company/a"],
      employers: ["company/a"],
    };
    expect(seen()).toEqual(changed);
    open[0]!.done();
    const last = index.apply();
    await expect.poll(() => open.length).toBe(2);
    open[1]!.done();
    await last;
    await index.commitFill();
    await index.endFill();
    expect(seen()).toEqual(changed);
    expect(stored.bySlug("company", "beta")).toBe("company/b");
    expect(stored.render("company/a")).toBeUndefined();
  });

  test("a batch waits for the one before it", async () => {
    const { index, open } = openSlowIndex();
    index.fill(contested);
    index.put(company("a"));
    await index.apply();
    index.put(company("b"));
    const second = index.apply();
    await new Promise((resolve) => setImmediate(resolve));
    expect(open).toHaveLength(1);
    open[0]!.done();
    await second;
    expect(open[1]!.batch.put).toEqual([company("b")]);
  });

  test("a batch that fails is thrown by the next call and by the commit; the old index stays", async () => {
    const { stored, index, open, discarded } = openSlowIndex();
    stored.update({ put: [company("old")] });
    const full = new AppError("unavailable", "disk_full", "the disk is full");
    index.fill(contested);
    index.put(company("a"));
    await index.apply();
    open[0]!.done(full);
    index.put(company("b"));
    await expect(index.apply()).rejects.toBe(full);
    await expect(index.commitFill()).rejects.toBe(full);
    await index.endFill();
    expect(discarded()).toBe(1);
    index.discard();
    index.put(company("c"));
    await index.apply();
    expect(stored.targets({ kind: "company", limit: 9 })).toEqual(["company/c", "company/old"]);
  });

  test("keeps the problems that are known, and drops those of a fill that failed", async () => {
    const { stored, index, open } = openSlowIndex();
    const problem = (path: string) => ({ path, target: undefined, reason: "r", foundAt: "t" });
    index.problem("companies/a/_index.md", problem("companies/a/_index.md"));
    await index.apply();
    index.fill(contested);
    index.problem("companies/b/_index.md", problem("companies/b/_index.md"));
    await index.endFill();
    index.discard();
    expect(index.problems()).toEqual([problem("companies/a/_index.md")]);
    index.fill(contested);
    await index.apply();
    open[0]!.done();
    await index.commitFill();
    expect(stored.problems()).toEqual([problem("companies/a/_index.md")]);
  });
});
