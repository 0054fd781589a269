import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Indexed } from "../search/record-index.ts";
import { recordSorts, type RecordQuery, type RecordSearch } from "../search/record-search.ts";
import { company, person } from "./sample-records.ts";
import { searchModel } from "./search-model.ts";

export interface RecordSearchSuiteOptions {
  readonly name: string;
  readonly open: () => RecordSearch;
}

const targetOf = (indexed: Indexed) =>
  indexed.kind === "company" ? indexed.company.target : indexed.person.target;

/** All pages of a query, by following `next`. */
function pagesOf(index: RecordSearch, query: Omit<RecordQuery, "after">): readonly string[] {
  const targets: string[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 100; pages++) {
    const page = index.search({ ...query, ...(after !== undefined && { after }) });
    expect(page.rows.length).toBeLessThanOrEqual(query.limit);
    targets.push(...page.rows.map(targetOf));
    after = page.next;
    if (after === undefined) return targets;
    expect(page.rows).toHaveLength(query.limit);
  }
  throw new Error("pages without end");
}

/** The contract of RecordSearch, clause by clause. */
export function recordSearchSuite({ name, open }: RecordSearchSuiteOptions): void {
  describe(`RecordSearch: ${name}`, () => {
    const clause = (title: string, check: (index: RecordSearch) => void) =>
      test(title, () => {
        using index = open();
        check(index);
      });
    const asked = (index: RecordSearch, words: string, more: Partial<RecordQuery> = {}) =>
      index.search({ kind: "company", words, limit: 50, ...more }).rows.map(targetOf);

    clause("several words in any order, over all texts of a record", (index) => {
      const acme = company("acme", {
        name: "Acme Flooring",
        texts: { domain: "acme-floors.example", city: "Austin" },
        emails: [{ value: "jane@acme-floors.example" }],
        categories: ["Carpet store"],
        tags: ["vip"],
        entries: [{ kind: "note", id: "1", at: "2026-01-01", text: "wants an offer in May" }],
        description: "Family business",
      });
      index.update({ put: [acme, company("beta", { name: "Beta Flooring" })] });
      for (const words of [
        "flooring acme",
        "ACME",
        "jane@acme-floors.example",
        "carpet acme",
        "vip austin",
        "offer may",
        "family",
        "  acme   fl ",
      ]) {
        expect(asked(index, words), words).toEqual(["company/acme"]);
      }
      expect(asked(index, "floor")).toEqual(["company/acme", "company/beta"]);
      expect(asked(index, "acme beta")).toEqual([]);
      expect(asked(index, "looring")).toEqual([]);
    });

    clause("accents and case do not matter, on either side; ü is found as ue too", (index) => {
      // Without a separate slug, the folder would add the plain words too.
      index.update({ put: [company("m", { name: "Müller & Søn GmbH Straße", slug: "m" })] });
      for (const words of ["muller", "MÜLLER", "mueller", "mu\u0308ller", "son", "strasse"]) {
        expect(asked(index, words), words).toEqual(["company/m"]);
      }
    });

    clause("names in any script are found by a word of theirs, and sorted", (index) => {
      const names = {
        ar: "مَخبز النور",
        el: "Αρτοποιείο Ήλιος",
        he: "מאפיית לחם",
        ja: "東京フローリング株式会社",
        ko: "한국부동산",
        ru: "Пекарня Хлеб",
        th: "ร้านดอกไม้กรุงเทพ",
        zh: "北京花店",
      };
      const put = Object.entries(names).map(([id, name]) => company(id, { name, slug: id }));
      index.update({ put: [...put, company("p", { slug: "p", texts: { domain: "xn--bcker-gra.example" } })] }); // prettier-ignore
      const typed = {
        ar: "مخبز",
        el: "ηλιοσ",
        he: "לחם",
        ja: "フローリング",
        ko: "부동산",
        ru: "хлеб",
        th: "ดอกไม้",
        zh: "花店",
        p: "bäcker",
      };
      for (const [id, words] of Object.entries(typed)) {
        expect(asked(index, words), words).toEqual([`company/${id}`]);
      }
      expect(asked(index, "店花")).toEqual([]);
      const sorted = index.search({ kind: "company", sort: "name", limit: 50 }).rows.map(targetOf);
      expect(sorted.map((target) => target.slice("company/".length))).toEqual(
        ["p", "el", "ru", "he", "ar", "th", "zh", "ja", "ko"], // in the order of their scripts in Unicode
      );
    });

    clause("what is typed is never a query language, and never an error", (index) => {
      index.update({ put: [company("a", { name: "Alpha NOT Beta", tags: ["t"] })] });
      const typed = [
        `" ' * a* - % _ NOT NEAR(alpha name:alpha ^alpha alpha) (alpha alpha* ¦tag¦t ¤alpha`.split(
          " ",
        ),
        ["alpha OR zzz", "alpha AND beta", "NEAR(alpha beta)", "{terms}: alpha", "alpha + beta"],
        ["¦kind¦person", "\u0000", "\ud800", "a".repeat(10_000)],
      ];
      for (const words of typed.flat()) {
        expect(() => asked(index, words), words).not.toThrow();
      }
      expect(asked(index, "alpha OR zzz")).toEqual([]);
      expect(asked(index, '"alpha" not')).toEqual(["company/a"]);
      expect(asked(index, "!!!")).toEqual([]);
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), (words) => {
          index.search({ kind: "company", words, limit: 1 });
          index.search({ kind: "company", filters: { tag: [words], city: words }, limit: 1 });
        }),
      );
    });

    clause("who has all words in the name comes first, then by name", (index) => {
      index.update({
        put: [
          company("1", { name: "Aaa", tags: ["roof"] }),
          company("2", { name: "Zzz Roofing" }),
          company("3", { name: "Roof Bbb" }),
        ],
      });
      expect(asked(index, "roof")).toEqual(["company/3", "company/2", "company/1"]);
      expect(asked(index, "roof", { sort: "name" })).toEqual([
        "company/1",
        "company/3",
        "company/2",
      ]);
      expect(pagesOf(index, { kind: "company", words: "roof", limit: 1 })).toEqual([
        "company/3",
        "company/2",
        "company/1",
      ]);
    });

    clause("filters hold together with words, and with each other", (index) => {
      index.update({
        put: [
          company("a", {
            name: "Roof A",
            tags: ["New Lead", "x"],
            texts: { city: "New York", country: "US", callback: "2026-11-20T09:00+01:00" },
            emails: [{ value: "a@a.example" }],
          }),
          company("b", { name: "Roof B", tags: ["new-lead"], excluded: "competitor" }),
          company("c", { name: "Roof C", texts: { city: "York", callback: "2026-12-01" } }),
          person("p", { name: "Roof P", tags: ["new lead"] }),
        ],
      });
      const filtered = (filters: RecordQuery["filters"], words = "roof") =>
        asked(index, words, { filters: filters ?? {} });
      expect(filtered({ tag: ["new lead"] })).toEqual(["company/a", "company/b"]);
      expect(filtered({ tag: ["new lead", "x"] })).toEqual(["company/a"]);
      expect(filtered({ tag: ["new"] })).toEqual([]);
      expect(filtered({ city: "york" })).toEqual(["company/c"]);
      expect(filtered({ hasEmail: true })).toEqual(["company/a"]);
      expect(filtered({ hasEmail: false })).toEqual(["company/b", "company/c"]);
      expect(filtered({ isExcluded: false, hasEmail: false })).toEqual(["company/c"]);
      expect(filtered({ callbackUntil: "2026-11-20T08:00:00.000Z" })).toEqual(["company/a"]);
      expect(filtered({ callbackUntil: "2026-11-20T07:59:00.000Z" }, "")).toEqual([]);
      const people = index.search({ kind: "person", filters: { tag: ["new lead"] }, limit: 9 });
      expect(people.rows.map(targetOf)).toEqual(["person/p"]);
      expect(index.count({ kind: "company", words: "roof" }, 2)).toBe(2);
      expect(index.count({ kind: "company", words: "roof" }, 9)).toBe(3);
      expect(index.count({ kind: "company", filters: { ratingMin: 1 } }, 9)).toBe(0);
    });

    clause(
      "a page continues where the last one ended, whatever came and went meanwhile",
      (index) => {
        const named = (letters: string) =>
          letters.split("").map((letter) => company(letter, { name: letter }));
        index.update({ put: named("bdfh") });
        const first = index.search({ kind: "company", limit: 2 });
        expect(first.rows.map(targetOf)).toEqual(["company/b", "company/d"]);
        index.update({ put: named("ace"), drop: ["company/b", "company/d", "company/f"] });
        const rest = index.search({ kind: "company", limit: 9, after: first.next! });
        expect(rest.rows.map(targetOf)).toEqual(["company/e", "company/h"]);
        expect(rest.next).toBeUndefined();
        expect(() => index.search({ kind: "company", limit: 2, after: "nonsense" })).toThrow(
          "is not a valid position in this list",
        );
        expect(() =>
          index.search({ kind: "company", limit: 2, sort: "rating", after: first.next! }),
        ).toThrow("start without it");
      },
    );

    clause(
      "B6: a search for an address finds its records, and the number of unrelated sites",
      (index) => {
        const emails = [{ value: "info@shared.example" }];
        index.update({
          put: [
            company("a", { texts: { domain: "a.com" }, emails }),
            company("b", { texts: { domain: "shop.a.com" }, emails }),
            company("c", { texts: { domain: "c.co.uk" }, emails }),
            company("d", { emails }),
            company("e", { texts: { domain: "shared.example" } }),
            person("p", { emails }),
          ],
        });
        expect(index.emailUsage("Info@Shared.example")).toEqual({
          companies: ["company/a", "company/b", "company/c", "company/d"],
          people: ["person/p"],
          sites: 2,
        });
        expect(index.domainUsage("shared.example")).toEqual({
          companies: ["company/a", "company/b", "company/c", "company/d", "company/e"],
          people: ["person/p"],
          sites: 3,
        });
        expect(index.emailUsage("nobody@x.example")).toEqual({
          companies: [],
          people: [],
          sites: 0,
        });
      },
    );

    clause(
      "thousands of records, put in any order, come out in the order of their names",
      (index) => {
        const count = 4_000; // more than is sorted at once
        const records = Array.from({ length: count }, (_, at) => {
          const name = `company ${String((at * 7_919) % count).padStart(4, "0")}`;
          return company(String(at), {
            name,
            numbers: { rating: at % 50 },
            tags: [`t${Math.sign(at % 8)}`],
          });
        });
        for (let from = 0; from < count; from += 1_000) {
          index.update({ put: records.slice(from, from + 1_000) });
        }
        const query = { kind: "company", filters: { tag: ["t1"] } } as const;
        for (const sort of [undefined, "rating"] as const) {
          const asked = { ...query, ...(sort && { sort }) };
          const expected = searchModel(records, asked).map(targetOf);
          expect(pagesOf(index, { ...asked, limit: 1_000 })).toEqual(expected);
        }
        index.optimize();
        expect(index.count({ kind: "company" }, 10_000)).toBe(count);
      },
    );

    test("answers what the model answers, whatever was put, dropped and asked", () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 12 }), queries, (steps, asked) => {
          using index = open();
          const records = new Map<string, Indexed>();
          for (const { put, drop } of steps) {
            index.update({ put, drop });
            for (const record of put) records.set(targetOf(record), record);
            for (const target of drop) records.delete(target);
          }
          for (const query of asked) {
            const expected = searchModel([...records.values()], query).map(targetOf);
            expect(pagesOf(index, { ...query, limit: 3 })).toEqual(expected);
            expect(index.count(query, 100)).toBe(expected.length);
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}

const word = fc.constantFrom(
  "Roof",
  "Röof",
  "rooster",
  "Acme",
  "ACME-2",
  "Straße",
  "b",
  "",
  "東京",
);
const text = fc.array(word, { maxLength: 3 }).map((words) => words.join(" "));
const record = fc
  .record({
    id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    isPerson: fc.boolean(),
    name: text.map((one) => one || "x"),
    tags: fc.uniqueArray(
      word.filter((one) => one !== ""),
      { maxLength: 2 },
    ),
    city: fc.option(text, { nil: undefined }),
    rating: fc.option(fc.constantFrom(1, 4.5, 5), { nil: undefined }),
    callback: fc.constantFrom(undefined, "2026-11-20", "2026-11-19T23:00-02:00", "some day"),
    changedAt: fc.constantFrom("2026-11-01T00:00:00.000Z-0000", "2026-11-02T00:00:00.000Z-0001"),
    emails: fc.uniqueArray(fc.constantFrom("a@roof.example", "b@acme.example"), { maxLength: 2 }),
  })
  .map(({ id, isPerson, city, callback, rating, emails, ...rest }) => {
    const texts = { ...(city !== undefined && { city }), ...(callback && { callback }) };
    const shared = { ...rest, texts, emails: emails.map((value) => ({ value })) };
    return isPerson
      ? person(id, shared)
      : company(id, { ...shared, numbers: rating === undefined ? {} : { rating } });
  });
const step = fc.record({
  put: fc.array(record, { maxLength: 4 }),
  drop: fc.subarray(["company/a", "company/b", "person/c", "company/d"]),
});
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const queries = fc.array(
  fc
    .record({
      kind: fc.constantFrom("company" as const, "person" as const),
      words: fc.oneof(text, fc.constantFrom("ro", "acme 2", "roof.example", "東", "!")),
      sort: optional(fc.constantFrom(...recordSorts)),
      tag: optional(fc.array(word, { maxLength: 2 })),
      city: optional(text),
      hasEmail: optional(fc.boolean()),
      hasCallback: optional(fc.boolean()),
      callbackUntil: optional(fc.constant("2026-11-20T00:30:00.000Z")),
      changedSince: optional(fc.constant("2026-11-02T00:00:00.000Z")),
      ratingMin: optional(fc.constantFrom(2, 4.5)),
    })
    .map(({ kind, words, sort, ...filters }) => ({
      kind,
      words,
      ...(sort && { sort }),
      filters: Object.fromEntries(
        Object.entries(filters).filter(([, value]) => value !== undefined),
      ),
    })),
  { minLength: 1, maxLength: 3 },
);
