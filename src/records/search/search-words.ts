import { domainToUnicode } from "node:url";
import type { Company } from "../fields/company.ts";
import { factTerm as fact, flagTerm as flag } from "./fact-terms.ts";
import { queryWords, typedWords } from "./name-keys.ts";
import type { Person } from "../fields/person.ts";
import type { Indexed } from "./record-index.ts";
import type { RecordFilters } from "./record-search.ts";

/**
 * The terms by which a record can be found. There are three kinds, with different first characters.
 * Words are only letters and digits, so nothing that a user types can match another kind:
 * - `acme`: a word of the record;
 * - `¤acme`: a word of its name;
 * - `¦tag¦vip`: a fact for filters.
 */
export const nameMark = "¤";

/** The words of a whole book in a note would not improve the results. */
const wordsMax = 20_000;

export function termsOf(indexed: Indexed): ReadonlySet<string> {
  const terms = new Set<string>();
  const record = indexed.kind === "company" ? indexed.company : indexed.person;
  for (const word of typedWords(record.name)) {
    terms.add(word);
    terms.add(nameMark + word);
  }
  const texts = indexed.kind === "company" ? companyTexts(indexed.company) : [];
  for (const text of [...texts, ...commonTexts(record)]) {
    if (terms.size > wordsMax) break;
    for (const word of typedWords(text)) terms.add(word);
  }
  for (const fact of factsOf(indexed)) terms.add(fact);
  return terms;
}

/** The most important texts come first, because words beyond the limit are not found. */
const companyTexts = ({ texts, ...company }: Company): readonly string[] => [
  ...present([texts.domain, unicodeOf(texts.domain), texts.website, texts.type, texts.excluded]),
  ...(company.domains ?? []).flatMap((domain) => present([domain, unicodeOf(domain)])),
  ...company.categories,
  ...company.services,
  ...company.products,
  ...company.tech,
  ...company.keywords,
];

/** Users search for `gärtnerei.de` by the name that they see. */
const unicodeOf = (domain: string | undefined): string | undefined =>
  domain?.includes("xn--") ? domainToUnicode(domain) : undefined;

const commonTexts = (record: Company | Person): readonly string[] => [
  record.slug,
  ...record.aliases,
  ...record.emails.flatMap(({ value, label }) => present([value, label])),
  ...record.phones.map(({ value }) => value),
  ...record.tags,
  ...present([record.texts.street, record.texts.address, record.texts.zip, record.texts.city]),
  ...present([record.texts.state, record.texts.country]),
  ...("role" in record.texts ? present([record.texts.role]) : []),
  ...Object.values(record.socials),
  ...record.entries.flatMap(({ title, text, by, outcome }) => present([title, text, by, outcome])),
  ...present([record.description]),
];

const present = (texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== undefined);

function factsOf(indexed: Indexed): readonly string[] {
  const record = indexed.kind === "company" ? indexed.company : indexed.person;
  const company = indexed.kind === "company" ? indexed.company : undefined;
  const named = [
    ...["city", "state", "country"].map((name) => [name, record.texts[name as "city"]] as const),
    ...(company
      ? ([
          ["type", company.texts.type],
          ["domain", company.texts.domain],
        ] as const)
      : []),
  ];
  return [
    fact("kind", indexed.kind),
    ...record.tags.map((tag) => fact("tag", tag)),
    ...(company?.categories ?? []).map((category) => fact("category", category)),
    ...(company?.tech ?? []).map((tech) => fact("tech", tech)),
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [fact(name, value)])),
    ...record.emails.flatMap(({ status }) =>
      status === undefined ? [] : [fact("emailstatus", status.status)],
    ),
    flag("email", record.emails.length > 0),
    flag("phone", record.phones.length > 0),
    flag("domainknown", company?.texts.domain !== undefined),
    flag("excluded", company?.excluded !== undefined),
    flag("callback", record.texts.callback !== undefined),
    flag(
      "called",
      record.entries.some(({ kind }) => kind === "call"),
    ),
  ];
}

/** The terms that a record must have. `begins` are prefixes of words. */
export interface TermQuery {
  /** The input is not empty, but contains no word. */
  readonly isNothing: boolean;
  readonly begins: readonly string[];
  readonly nameBegins: readonly string[];
  readonly facts: readonly string[];
}

export function termQueryOf(query: {
  readonly kind: Indexed["kind"];
  readonly words?: string;
  readonly filters?: RecordFilters;
}): TermQuery {
  const begins = [...new Set(queryWords(query.words ?? ""))].slice(0, queryWordsMax);
  const { filters = {} } = query;
  const texts = ["city", "state", "country", "type", "domain", "tech"] as const;
  const flags = {
    email: filters.hasEmail,
    phone: filters.hasPhone,
    domainknown: filters.hasDomain,
    excluded: filters.isExcluded,
    callback: filters.hasCallback,
    called: filters.isCalled,
  };
  const facts = [
    fact("kind", query.kind),
    ...(["tag", "category"] as const).flatMap((name) =>
      (filters[name] ?? []).map((value) => fact(name, value)),
    ),
    ...texts.flatMap((name) => {
      const value = filters[name];
      return value === undefined ? [] : [fact(name, value)];
    }),
    ...(filters.emailStatus === undefined ? [] : [fact("emailstatus", filters.emailStatus)]),
    ...Object.entries(flags).flatMap(([name, isSo]) =>
      isSo === undefined ? [] : [flag(name, isSo)],
    ),
  ];
  const isNothing = begins.length === 0 && (query.words ?? "").trim() !== "";
  return {
    isNothing,
    begins,
    nameBegins: begins.map((word) => nameMark + word),
    facts: [...new Set(facts)],
  };
}

/** Nobody types more; a pasted page would take hours. */
const queryWordsMax = 16;
