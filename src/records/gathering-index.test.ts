import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { gatherIndex } from "./gathering-index.ts";
import type { IndexBatch, RecordIndex } from "./record-index.ts";
import { createMemoryRecordIndex } from "./testing/memory-record-index.ts";
import { company, person } from "./testing/sample-records.ts";

/** A memory index whose loader applies a batch when it is told to. */
function openSlowIndex() {
  const stored = createMemoryRecordIndex();
  const open: { batch: IndexBatch; done(error?: Error): void }[] = [];
  let ended = 0;
  const index: RecordIndex = {
    ...stored,
    startLoading: () => ({
      load: (batch) =>
        new Promise((resolve, reject) => {
          const done = (error?: Error) => {
            if (error) return reject(error);
            stored.update(batch);
            resolve();
          };
          open.push({ batch, done });
        }),
      [Symbol.asyncDispose]: async () => void (ended += 1),
    }),
  };
  return { stored, index: gatherIndex(index), open, ended: () => ended };
}

const mark = { target: "company/a", folder: "companies/acme", rev: "1" };
const acme = { name: "Acme", slugWanted: "acme", people: [{ id: "anna" }] };
const contested = {
  winners: new Map([["company/acme", "company/a"]]),
  contested: new Set(["company/acme"]),
};

describe("an index that is filled beside other work", () => {
  test("shows what is on its way into it, and what has changed since", async () => {
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
    // Changed again before it has arrived: the older one does not count any more.
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
    await index.endFilling();
    expect(seen()).toEqual(changed);
    expect(stored.bySlug("company", "beta")).toBe("company/b");
    expect(stored.render("company/a")).toBeUndefined();
  });

  test("one batch waits for the one before it", async () => {
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

  test("a batch that fails is told to whoever comes next, and at the end; then it is over", async () => {
    const { stored, index, open, ended } = openSlowIndex();
    const full = new AppError("unavailable", "disk_full", "the disk is full");
    index.fill(contested);
    index.put(company("a"));
    await index.apply();
    open[0]!.done(full);
    index.put(company("b"));
    await expect(index.apply()).rejects.toBe(full);
    await expect(index.endFilling()).rejects.toBe(full);
    expect(ended()).toBe(1);
    index.discard();
    index.put(company("c"));
    await index.apply();
    expect(stored.targets({ kind: "company", limit: 9 })).toEqual(["company/c"]);
  });
});
