/** The state of the companies list, as stored in the address of the page. */
import type { RowOf } from "../data/api.ts";
import { place } from "../data/router.ts";

export type CompanyRow = RowOf<"/api/companies">;

export const sorts = ["name", "changed", "rating", "reviews", "callback"] as const;
export type Sort = (typeof sorts)[number];

/** Parameters with one value, with the names of the API. */
const textKeys = ["city", "state", "country", "type", "domain", "tech"] as const;
const flagKeys = ["hasEmail", "hasPhone", "hasDomain", "hasCallback", "isCalled", "isExcluded"] as const; // prettier-ignore
const listKeys = ["tag", "category"] as const;

export type CompanyFilter = {
  words?: string;
  tag?: string[];
  category?: string[];
  callbackUntil?: string;
  changedSince?: string;
  ratingMin?: number;
} & { [K in (typeof textKeys)[number]]?: string } & { [K in (typeof flagKeys)[number]]?: boolean };

export function companyFilter(query = place.value.query): CompanyFilter {
  const filter: CompanyFilter = {};
  const words = query.get("words")?.trim();
  if (words) filter.words = words;
  for (const key of textKeys) {
    const value = query.get(key);
    if (value) filter[key] = value;
  }
  for (const key of flagKeys) {
    const value = query.get(key);
    if (value === "true" || value === "false") filter[key] = value === "true";
  }
  for (const key of listKeys) {
    const values = query.getAll(key).filter(Boolean);
    if (values.length > 0) filter[key] = values;
  }
  for (const key of ["callbackUntil", "changedSince"] as const) {
    const value = query.get(key);
    if (value) filter[key] = value;
  }
  const rating = Number(query.get("ratingMin"));
  if (rating > 0) filter.ratingMin = rating;
  return filter;
}

export function companySort(query = place.value.query): Sort | undefined {
  return sorts.find((sort) => sort === query.get("sort"));
}

const flagTexts: Readonly<Record<(typeof flagKeys)[number], readonly [string, string]>> = {
  hasEmail: ["with email", "without email"],
  hasPhone: ["with phone", "without phone"],
  hasDomain: ["with website", "without website"],
  hasCallback: ["with a call-back date", "without a call-back date"],
  isCalled: ["called", "not called"],
  isExcluded: ["excluded", "not excluded"],
};

/** The filter in words, one chip per part, each with a link that removes it. */
export function filterChips(
  filter: CompanyFilter,
): readonly { key: string; value?: string; text: string }[] {
  // prettier-ignore
  return [
    ...(filter.words ? [{ key: "words", text: `“${filter.words}”` }] : []),
    ...textKeys.flatMap((key) => (filter[key] ? [{ key, text: `${key}: ${filter[key]}` }] : [])),
    ...flagKeys.flatMap((key) =>
      filter[key] === undefined ? [] : [{ key, text: flagTexts[key][filter[key] ? 0 : 1] }],
    ),
    ...listKeys.flatMap((key) =>
      (filter[key] ?? []).map((value) => ({ key, value, text: `${key}: ${value}` })),
    ),
    ...(filter.callbackUntil ? [{ key: "callbackUntil", text: `to call until ${filter.callbackUntil.slice(0, 10)}` }] : []), // prettier-ignore
    ...(filter.changedSince ? [{ key: "changedSince", text: `changed since ${filter.changedSince.slice(0, 10)}` }] : []), // prettier-ignore
    ...(filter.ratingMin ? [{ key: "ratingMin", text: `rated ${filter.ratingMin} or better` }] : []),
  ];
}

/** The same filter on the command line. Only the search takes words without a flag. */
export function filterCommand(
  filter: CompanyFilter,
  command: "company search" | "export companies" = "company search",
): string {
  const quote = (text: string) => (/^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`); // prettier-ignore
  const flags = [
    [filter.hasEmail, "email"],
    [filter.hasPhone, "phone"],
    [filter.hasDomain, "domain"],
    [filter.hasCallback, "callback"],
  ] as const;
  return [
    `forager ${command}`,
    ...(filter.words ? [`${command === "company search" ? "" : "--words "}${quote(filter.words)}`] : []), // prettier-ignore
    ...(filter.tag ?? []).map((tag) => `--tag ${quote(tag)}`),
    ...(filter.category ?? []).map((category) => `--category ${quote(category)}`),
    ...(["city", "state", "country"] as const).flatMap((key) =>
      filter[key] ? [`--${key} ${quote(filter[key])}`] : [],
    ),
    ...flags.flatMap(([value, what]) =>
      value === undefined ? [] : [`${value ? "--has" : "--missing"} ${what}`],
    ),
  ].join(" ");
}
