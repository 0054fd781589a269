import { describe, expect, test } from "vitest";
import type { LedgerPosition } from "../../ledger/index.ts";
import { nameAndAddress } from "../fields/duplicates.ts";
import type { RecordIndex } from "../search/record-index.ts";
import { company, person } from "./sample-records.ts";

export interface RecordIndexSuiteOptions {
  readonly name: string;
  /** Opens an empty one. The suite closes it. */
  readonly open: () => RecordIndex;
}

const position: LedgerPosition = { checkpoint: 3, parts: "ab", vector: { "n/s": 7 }, aside: [] };

/** The contract of RecordIndex, clause by clause. Each implementation must pass all clauses. */
export function recordIndexSuite({ name, open }: RecordIndexSuiteOptions): void {
  describe(`RecordIndex: ${name}`, () => {
    const clause = (title: string, check: (index: RecordIndex) => void) =>
      test(title, () => {
        using index = open();
        check(index);
      });

    clause("knows nothing at first, not even how far it has come", (index) => {
      expect(index.position()).toBeUndefined();
      expect(index.find("company/a")).toBeUndefined();
      expect(index.bySlug("company", "a")).toBeUndefined();
      expect(index.problems()).toEqual([]);
      expect(index.targets({ kind: "company", limit: 10 })).toEqual([]);
    });

    clause("what was put is found whole, the last one counts", (index) => {
      const full = company("a", {
        name: "Ä & Co",
        texts: { domain: "a.example", city: "Köln" },
        numbers: { rating: 4.5 },
        emails: [{ value: "x@a.example", label: "boss" }],
        entries: [{ kind: "note", id: "1", at: "2026-01-01T00:00:00.000Z", text: "hi" }],
        extra: { deep: { list: [1, null] } },
      });
      index.update({ put: [company("a", { name: "Old" }), full] });
      expect(index.find("company/a")).toEqual(full);
      const anna = person("anna", { name: "Anna" });
      index.update({ put: [anna, full], position });
      expect(index.find("person/anna")).toEqual(anna);
      expect(index.find("company/a")).toEqual(full);
      expect(index.position()).toEqual(position);
    });

    clause(
      "what was dropped is nowhere any more; dropping the unknown is not an error",
      (index) => {
        const put = company("a", {
          name: "A",
          aliases: ["old-a"],
          texts: { domain: "a.example", place: "osm/1", address: "Main St 1" },
          emails: [{ value: "x@a.example" }],
          people: [{ id: "anna" }],
        });
        index.update({ put: [put] });
        index.update({ drop: ["company/a", "company/none"] });
        expect(index.find("company/a")).toBeUndefined();
        expect([
          ...index.byDomain("a.example"),
          ...index.byPlace("osm/1"),
          ...index.byEmail("x@a.example"),
          ...index.byPerson("anna"),
          ...index.wanting("company", "a"),
          ...index.byNameAndAddress({ name: "a", address: "main-st-1" }),
        ]).toEqual([]);
        expect(index.bySlug("company", "a")).toBeUndefined();
        expect(index.bySlug("company", "old-a")).toBeUndefined();
      },
    );

    clause(
      "a batch applies its parts in order: put, drop, renders, problems, position",
      (index) => {
        index.update({ put: [company("a")], drop: ["company/a"], position });
        expect(index.find("company/a")).toBeUndefined();
        expect(index.position()).toEqual(position);
      },
    );

    clause("a batch that fails leaves nothing behind", (index) => {
      index.update({ put: [company("a")], position });
      const broken = { ...company("b"), company: undefined } as never;
      expect(() => {
        index.update({ put: [company("c"), broken], position: { ...position, checkpoint: 9 } });
      }).toThrow();
      expect(index.find("company/c")).toBeUndefined();
      expect(index.position()).toEqual(position);
      expect(index.targets({ kind: "company", limit: 10 })).toEqual(["company/a"]);
    });

    clause("batches that are joined can be read at once, and are kept", (index) => {
      index.update({ put: [company("a")], position });
      const next = (checkpoint: number) => ({ ...position, checkpoint });
      index.update({ put: [company("b")], position: next(4) }, { isJoined: true });
      index.update({ put: [company("c")], drop: ["company/a"] }, { isJoined: true });
      expect(index.targets({ kind: "company", limit: 9 })).toEqual(["company/b", "company/c"]);
      expect(index.bySlug("company", "b")).toBe("company/b");
      expect(index.position()).toEqual(next(4));
      index.settle();
      index.settle();
      index.update({ put: [company("d")], position: next(5) }, { isJoined: true });
      index.update({ put: [company("e")] });
      index.scrub();
      expect(index.targets({ kind: "company", limit: 9 })).toHaveLength(4);
      expect(index.position()).toEqual(next(5));
    });

    test("a replacement is loaded batch by batch, while the index answers as before", async () => {
      using index = open();
      index.update({ put: [company("old")], position });
      await using replacement = index.startReplacement();
      const first = replacement.load({ put: [company("a"), company("b")] });
      const second = replacement.load({
        put: [company("a", { name: "New" })],
        drop: ["company/b"],
      });
      await first;
      await second;
      const { lookup } = replacement;
      expect(lookup.find("company/a")).toEqual(company("a", { name: "New" }));
      expect(lookup.find("company/old")).toBeUndefined();
      expect(lookup.position()).toBeUndefined();
      const broken = { ...company("b"), company: undefined } as never;
      await expect(replacement.load({ put: [company("c"), broken] })).rejects.toThrow();
      await replacement.load({ put: [company("d")], position: { ...position, checkpoint: 4 } });
      expect(index.targets({ kind: "company", limit: 9 })).toEqual(["company/old"]);
      expect(index.position()).toEqual(position);
      await replacement.commit();
      expect(index.targets({ kind: "company", limit: 9 })).toEqual(["company/a", "company/d"]);
      expect(index.position()).toEqual({ ...position, checkpoint: 4 });
      expect(index.bySlug("company", "old")).toBeUndefined();
      index.update({ put: [company("e")] });
      expect(index.find("company/e")).toEqual(company("e"));
    });

    test("a replacement that is not committed leaves the index as it was", async () => {
      using index = open();
      index.update({ put: [company("old")], position });
      for (const id of ["a", "b"]) {
        await using replacement = index.startReplacement();
        await replacement.load({ put: [company(id)] });
        expect(replacement.lookup.targets({ kind: "company", limit: 9 })).toEqual([
          `company/${id}`,
        ]);
      }
      expect(index.targets({ kind: "company", limit: 9 })).toEqual(["company/old"]);
      expect(index.position()).toEqual(position);
    });

    clause("a domain, place, address or number has all who have it, by target", (index) => {
      const same = { texts: { domain: "Same.example", place: "osm/1" } };
      index.update({
        put: [
          company("b", { ...same, emails: [{ value: "Info@Same.example" }] }),
          company("a", { ...same, people: [{ id: "anna", role: "boss" }] }),
          person("anna", { emails: [{ value: "info@same.example" }] }),
        ],
      });
      expect(index.byDomain("same.EXAMPLE")).toEqual(["company/a", "company/b"]);
      expect(index.byPlace("osm/1")).toEqual(["company/a", "company/b"]);
      expect(index.byEmail("INFO@same.example")).toEqual(["company/b", "person/anna"]);
      expect(index.byPerson("anna")).toEqual(["company/a"]);
      expect(index.byDomain("e.example")).toEqual([]);
      index.update({ put: [company("u", { texts: { domain: "Gärtnerei.example" } })] });
      for (const domain of ["gärtnerei.example", "xn--grtnerei-0za.example"]) {
        expect(index.byDomain(domain), domain).toEqual(["company/u"]);
      }
      const merged = { domains: ["other.example"], phones: [{ value: "+15125550100" }] };
      index.update({ put: [company("m", { texts: { domain: "one.example" }, ...merged })] });
      expect(index.byDomain("www.other.example")).toEqual(["company/m"]);
      expect(index.byPhone("+15125550100")).toEqual(["company/m"]);
      index.update({ put: [company("m")] });
      expect([...index.byDomain("other.example"), ...index.byPhone("+15125550100")]).toEqual([]);
      index.update({ put: [company("b")] });
      expect(index.byDomain("same.example")).toEqual(["company/a"]);
      expect(index.byEmail("info@same.example")).toEqual(["person/anna"]);
    });

    clause("name and address find a second entry of one place, however it is written", (index) => {
      const texts = { address: "Main St. 1, Austin" };
      index.update({
        put: [
          company("a", { name: "Acme Ltd.", texts }),
          company("b", { name: "ACME ltd", texts: { address: "main st 1 AUSTIN" } }),
          company("c", { name: "Acme Ltd." }),
        ],
      });
      const key = nameAndAddress({ name: "Acme Ltd", texts: { address: "Main St 1, Austin" } })!;
      expect(index.byNameAndAddress(key)).toEqual(["company/a", "company/b"]);
    });

    clause("a folder is its record's, else the one's that has it as an alias", (index) => {
      index.update({
        put: [
          company("1", { slug: "acme-9x", slugWanted: "acme", aliases: ["acme-old"] }),
          company("2", { slug: "acme", slugWanted: "acme" }),
          company("3", { slug: "beta", slugWanted: "beta", aliases: ["acme"] }),
          person("4", { slug: "acme", slugWanted: "acme" }),
        ],
      });
      expect(index.bySlug("company", "acme")).toBe("company/2");
      expect(index.bySlug("company", "acme-old")).toBe("company/1");
      expect(index.bySlug("person", "acme")).toBe("person/4");
      expect(index.wanting("company", "acme")).toEqual(["company/1", "company/2"]);
      index.update({ drop: ["company/2"] });
      expect(index.bySlug("company", "acme")).toBe("company/3");
    });

    clause("targets come by name, a page at a time, each kind for itself", (index) => {
      const ids = ["b", "c", "a", "ä"];
      index.update({ put: [...ids.map((id) => company(id)), person("p")] });
      const first = index.targets({ kind: "company", limit: 2 });
      expect(first).toEqual(["company/a", "company/b"]);
      expect(index.targets({ kind: "company", limit: 9, after: first[1]! })).toEqual([
        "company/c",
        "company/ä",
      ]);
      expect(index.targets({ kind: "person", limit: 9 })).toEqual(["person/p"]);
    });

    clause("renders and problems are kept until they are taken back", (index) => {
      const mark = { target: "company/a", folder: "companies/a", rev: "1" };
      const problem = {
        path: "companies/a/_index.md",
        target: undefined,
        reason: "r",
        foundAt: "t",
      };
      index.update({
        renders: [mark, { ...mark, rev: "2" }],
        problems: [{ path: problem.path, problem }],
      });
      expect(index.render("company/a")).toEqual({ ...mark, rev: "2" });
      expect(index.problems()).toEqual([problem]);
      index.update({
        unrendered: ["company/a"],
        problems: [{ path: problem.path, problem: undefined }],
      });
      expect(index.render("company/a")).toBeUndefined();
      expect(index.problems()).toEqual([]);
    });
  });
}
