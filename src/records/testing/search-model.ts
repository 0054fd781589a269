import type { Indexed } from "../search/record-index.ts";
import type { RecordQuery, RecordSort } from "../search/record-search.ts";
import { sortKeyOf } from "../search/name-keys.ts";
import { termQueryOf, termsOf } from "../search/search-words.ts";

/** The simplest implementation of a search: it examines every record. */
export function searchModel(
  records: readonly Indexed[],
  query: Omit<RecordQuery, "limit" | "after">,
): readonly Indexed[] {
  const wanted = termQueryOf(query);
  if (wanted.isNothing) return [];
  const isBest = query.sort === undefined && wanted.begins.length > 0;
  const found = records.flatMap((indexed) => {
    const terms = [...termsOf(indexed)];
    const begins = (begin: string) => terms.some((term) => term.startsWith(begin));
    const has = (fact: string) => terms.includes(fact);
    const isMatch =
      wanted.begins.every(begins) && wanted.facts.every(has) && isInRange(indexed, query);
    return isMatch ? [{ indexed, phase: isBest && !wanted.nameBegins.every(begins) ? 1 : 0 }] : [];
  });
  const compareAs = comparers[query.sort ?? "name"];
  return found
    .sort(
      (a, b) =>
        a.phase - b.phase ||
        compareAs(recordOf(a.indexed), recordOf(b.indexed)) ||
        compareBytes(recordOf(a.indexed).target, recordOf(b.indexed).target),
    )
    .map(({ indexed }) => indexed);
}

function recordOf(indexed: Indexed) {
  return indexed.kind === "company" ? indexed.company : { ...indexed.person, numbers: {} };
}
type Found = ReturnType<typeof recordOf>;

const numberOf = (record: Found, name: "rating" | "reviews") =>
  (record.numbers as Readonly<Record<string, number>>)[name] ?? -1;
const callbackOf = ({ texts }: Found) => Date.parse(texts.callback ?? "") || Infinity;

const comparers: Readonly<Record<RecordSort, (a: Found, b: Found) => number>> = {
  name: (a, b) => compareBytes(sortKeyOf(a.name), sortKeyOf(b.name)),
  changed: (a, b) => compareBytes(b.changedAt, a.changedAt),
  rating: (a, b) => numberOf(b, "rating") - numberOf(a, "rating"),
  reviews: (a, b) => numberOf(b, "reviews") - numberOf(a, "reviews"),
  callback: (a, b) =>
    callbackOf(a) === callbackOf(b) ? 0 : callbackOf(a) < callbackOf(b) ? -1 : 1,
};

function isInRange(indexed: Indexed, { filters = {} }: Pick<RecordQuery, "filters">): boolean {
  const record = recordOf(indexed);
  const { callbackUntil, changedSince, ratingMin, reviewsMin } = filters;
  return (
    (callbackUntil === undefined || callbackOf(record) <= Date.parse(callbackUntil)) &&
    (changedSince === undefined || record.changedAt >= changedSince) &&
    (ratingMin === undefined || numberOf(record, "rating") >= ratingMin) &&
    (reviewsMin === undefined || numberOf(record, "reviews") >= reviewsMin)
  );
}

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
