import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { findCompanies } from "./reader/search-companies.ts";
import { encodeNumbers } from "./site-format.ts";
import { publishSite } from "./write/publish-site.ts";
import { readSite, testCompany, testSource, type TestCompany } from "./testing/test-site.ts";

const kinds = ["Flooring", "Tile", "Carpet", "Hardwood", "Roofing"];
const people = ["Joe", "Ann", "Müller", "Lee", "Garcia", "山田"];
const cities = ["Austin", "San Marcos", "Waco"];

async function publishedSite(given: readonly TestCompany[], shown?: () => Promise<void>) {
  const store = createMemoryBucket({ clock: systemClock });
  const source = testSource(given.map((one, n) => testCompany(one, n)));
  const { signal } = new AbortController();
  await publishSite({ store, source, clock: systemClock, mode: "private", shown: [], signal });
  return readSite(store, "", shown);
}

const many = Array.from({ length: 3_000 }, (_, n) => ({
  name: `${people[n % 6]} ${kinds[n % 5]} ${n}`,
  city: cities[n % 3]!,
  slug: `${String(n).padStart(5, "0")}-x`,
  ...(n % 4 === 0 && { phone: `+1512555${String(n).padStart(4, "0")}` }),
  category: kinds[n % 5]!,
  rating: (n % 50) / 10,
}));
const site = await publishedSite(many);

interface Answer {
  readonly rows: readonly { readonly name: string; readonly slug: string }[];
  readonly next: string | null;
}

async function allRows(query: string) {
  const rows: string[] = [];
  let after = "";
  for (;;) {
    const page = (await site.json(`/api/companies?${query}${after}`)) as Answer;
    rows.push(...page.rows.map(({ slug }) => slug));
    if (page.next === null) return rows;
    after = `&after=${page.next}`;
  }
}

const expected = (isWanted: (one: (typeof many)[number]) => boolean) =>
  many.filter(isWanted).map(({ slug }) => slug);

test.each([
  ["several words in any order", "words=austin+joe+flooring", (one) => one.name.startsWith("Joe Flooring") && one.city === "Austin"], // prettier-ignore
  ["beginnings of words", "words=har+gar", (one) => one.name.startsWith("Garcia Hardwood")],
  ["accents, and how they are spelled out", "words=mueller+tile", (one) => one.name.startsWith("Müller Tile")], // prettier-ignore
  ["scripts without spaces", "words=山田+carpet", (one) => one.name.startsWith("山田 Carpet")],
  ["one letter beside a word", "words=w+roofing", (one) => one.name.includes("Roofing") && one.city === "Waco"], // prettier-ignore
  ["a number", "words=2999", (one) => one.name.endsWith(" 2999")],
  ["facts", "hasPhone=true&city=San+Marcos&category=Tile", (one) => "phone" in one && one.city === "San Marcos" && one.category === "Tile"], // prettier-ignore
  ["facts and words", "hasPhone=false&words=lee", (one) => !("phone" in one) && one.name.startsWith("Lee")], // prettier-ignore
  ["nothing", "words=zzz", () => false],
  ["no word at all", "words=%21%21", () => false],
  ["everything", "", () => true],
] as const satisfies readonly (readonly [
  string,
  string,
  (one: (typeof many)[number]) => boolean,
])[])("finds companies by %s, all of them and no other", async (_, query, isWanted) => {
  const wanted = expected(isWanted);
  expect(await allRows(query)).toEqual(wanted);
  expect(await site.json(`/api/companies/count?${query}`)).toEqual({
    count: wanted.length,
    isComplete: true,
  });
});

test("the first result needs at most three requests, for one, two and more words", async () => {
  for (const words of ["roofing", "joe+flooring", "austin+joe+flooring+2550", "müller+waco+tile"]) {
    const fresh = await publishedSite(many);
    fresh.asked.length = 0;
    const { rows } = (await fresh.json(`/api/companies?words=${words}`)) as Answer;
    expect(rows.length, words).toBeGreaterThan(0);
    expect(fresh.asked.length, words).toBeLessThanOrEqual(3);
  }
});

test("the count and later rows are read when the first rows are on the screen", async () => {
  let show = () => {};
  const isShown = new Promise<void>((resolve) => (show = resolve));
  const fresh = await publishedSite(many, () => isShown);
  fresh.asked.length = 0;
  const count = fresh.json("/api/companies/count?words=austin+joe+flooring+2550");
  const { rows } = (await fresh.json("/api/companies?words=austin+joe+flooring+2550")) as Answer;
  expect(rows).toHaveLength(1);
  expect(fresh.asked.length).toBeLessThanOrEqual(3);
  show();
  expect(await count).toEqual({ count: 1, isComplete: true });
});

test("a beginning whose companies are listed only in part narrows what another word finds", async () => {
  const parts: Readonly<Record<string, string>> = {
    "q*": `\t${encodeNumbers([0, 1, 2])}\n`,
    wa: `waco\t${encodeNumbers([2, 7_000])}\n`,
  };
  const words = { "q*": "q*", qu: "qu", wa: "wa" };
  const read = async (part: string) => parts[part]!;
  const found = await findCompanies({ words, common: { waco: 9_000 } }, read, { words: "q waco", facts: [] }); // prettier-ignore
  expect(found).toEqual({ numbers: [2, 7_000], unchecked: ["q"], isComplete: true });
});

test("sorts by rating and by change, and refuses what it does not have", async () => {
  const { rows } = await site.json("/api/companies?sort=rating&limit=5");
  expect(rows[0]!.numbers.rating).toBe(4.9);
  expect(((await site.json("/api/companies?sort=changed&limit=3")) as Answer).rows).toHaveLength(3);
  expect(await site.json("/api/companies?sort=callback")).toMatchObject({ status: 400 });
  expect(await site.json("/api/companies?ratingMin=4")).toMatchObject({ status: 400 });
  expect(await site.json("/api/companies/not-there")).toMatchObject({ status: 404 });
  expect(await site.json("/api/queue/tasks")).toMatchObject({ status: 404 });
});

test("has report, state, coverage by phrase, points, facets and the part of the base map that it needs", async () => {
  expect(await site.json("/api/campaigns")).toMatchObject({ rows: [{ campaign: "austin" }] });
  expect(await site.json("/api/campaigns/austin/report")).toMatchObject({ funnel: { companies: 3_000 } }); // prettier-ignore
  expect(await site.json("/api/campaigns/austin/coverage?phrase=Flooring")).toMatchObject({ rows: [[302, -978, 0, 3, 20_000, 20_030]] }); // prettier-ignore
  expect(await site.json("/api/companies/facets")).toMatchObject({ counted: 3_000, facets: [{ field: "city", values: [{ value: "Austin", count: 1_000 }, {}, {}] }, {}, {}, {}, {}, {}] }); // prettier-ignore
  expect(await site.json("/basemap/world.json")).toMatchObject({ cells: ["-100_30"] });
  const { scopes } = await site.json("/api/session");
  expect(scopes.filter((scope) => !scope.endsWith(":read"))).toEqual([]);
});
