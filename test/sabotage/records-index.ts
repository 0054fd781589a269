import type { Sabotage } from "./sabotage.ts";

const index = "src/records/adapters/sqlite/sqlite-record-index.test.ts";
const file = "src/records/adapters/sqlite/index-file.test.ts";
const csv = "src/records/exchange/csv.test.ts";
const columns = "src/records/exchange/import-columns.test.ts";
const rows = "src/records/exchange/export-rows.test.ts";
const cards = "src/records/exchange/vcard.test.ts";

const inIndex: readonly Sabotage[] = [
  {
    name: "what is typed reaches the query language",
    file: "src/base/fold-text.ts",
    find: "const found = plain.match(isAscii(plain) ? /[a-z0-9]+/g : /[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}]*/gu);",
    replace: 'const found = plain.split(" ").filter((word) => word !== "");',
    caughtBy: `${index} > never a query language`,
  },
  {
    name: "accents matter",
    file: "src/base/fold-text.ts",
    find: '.replaceAll(leftOutMarks, "");',
    replace: '.replaceAll(/\\p{M}{9}/gu, "");',
    caughtBy: `${index} > accents and case do not matter`,
  },
  {
    name: "words must be whole",
    file: "src/records/adapters/sqlite/search-records.ts",
    find: 'const beginning = (term: string) => `"${term}"*`;',
    replace: 'const beginning = (term: string) => `"${term}"`;',
    caughtBy: `${index} > several words in any order`,
  },
  {
    name: "one word of several is enough",
    file: "src/records/adapters/sqlite/search-records.ts",
    find: 'terms.join(" AND ")',
    replace: 'terms.join(" OR ")',
    caughtBy: `${index} > filters hold together`,
  },
  {
    name: "a renamed record keeps its seat in the order",
    file: "src/records/adapters/sqlite/write-records.ts",
    find: "before !== undefined && before.seat !== null && before.sort === row.sort;",
    replace: "before !== undefined && before.seat !== null;",
    caughtBy: `${index} > answers what the model answers`,
  },
  {
    name: "a gap without room gives two records one seat",
    file: "src/records/adapters/sqlite/name-rank.ts",
    find: "return gap < 1n ? undefined : index",
    replace: "return index",
    caughtBy: `${file} > never run out of room`,
  },
  {
    name: "a record that was dropped is still found by its address",
    file: "src/records/adapters/sqlite/write-records.ts",
    find: "for (const statement of [dropBody, dropRecord]) statement.run(before.key);",
    replace: "for (const statement of [dropBody]) statement.run(before.key);",
    caughtBy: `${index} > what was dropped is nowhere any more`,
  },
  {
    name: "a batch is not one transaction",
    file: "src/records/adapters/sqlite/sqlite-record-index.ts",
    find: 'if (!db.inTransaction) db.exec("begin immediate");',
    replace: "",
    caughtBy: `${file} > a batch that fails half-way`,
  },
  {
    name: "a page goes on by number, not by where the last one ended",
    file: "src/records/adapters/sqlite/search-records.ts",
    find: "where (sort, target) <= (@sort, @target) and seat is not null",
    replace: "where (sort, target) >= (@sort, @target) and seat is not null",
    caughtBy: `${index} > a page goes on where the last one ended`,
  },
  {
    name: "two hosts of one company count as two sites",
    file: "src/records/adapters/sqlite/read-records.ts",
    find: "[getDomain(domain) ?? domain]",
    replace: "[domain]",
    caughtBy: `${index} > on how many unrelated sites`,
  },
  {
    name: "an index of another version is used as it is",
    file: "src/records/adapters/sqlite/open-index-file.ts",
    find: "if (version !== indexVersion || program !== applicationId) return false;",
    replace: "if (program !== applicationId) return false;",
    caughtBy: `${file} > of another version`,
  },
  {
    name: "a damaged index is an error instead of a new one",
    file: "src/records/adapters/sqlite/open-index-file.ts",
    find: "if (!isDamage(error)) throw error;",
    replace: "throw error;",
    caughtBy: `${file} > its first bytes lost`,
  },
];

const inExchange: readonly Sabotage[] = [
  {
    name: "a formula with a space in front runs",
    file: "src/records/exchange/csv-text.ts",
    find: "const formula = /^\\s*[",
    replace: "const formula = /^[",
    caughtBy: `${csv} > cannot run`,
  },
  {
    name: "a formula after another separator runs",
    file: "src/records/exchange/csv-text.ts",
    find: 'const inner = text.replaceAll(innerStart, "$1\'");',
    replace: "const inner = text;",
    caughtBy: `${csv} > cannot run where a line is split at another character`,
  },
  {
    name: "a line break in quotes ends a row",
    file: "src/records/exchange/csv-reader.ts",
    find: 'if (state === "quoted") {',
    replace: 'if (state === "quoted" && char !== "\\n") {',
    caughtBy: `${csv} > RFC 4180`,
  },
  {
    name: "a pair of line ends that is cut apart counts twice",
    file: "src/records/exchange/csv-reader.ts",
    find: 'isAfterReturn = char === "\\r";',
    replace: 'isAfterReturn = char === "\\r" && at + 1 < text.length;',
    caughtBy: `${csv} > however the text is cut`,
  },
  {
    name: "an import takes the guard of a formula for part of the name",
    file: "src/records/exchange/read-company.ts",
    find: 'if (typeof value === "string") return unguarded(value).trim();',
    replace: 'if (typeof value === "string") return value.trim();',
    caughtBy: `${columns} > a formula's guard is taken off`,
  },
  {
    name: "a page on somebody else's site is taken for a domain",
    file: "src/records/exchange/read-company.ts",
    find: "domain !== undefined && !sharedHosts.test(domain)",
    replace: "domain !== undefined",
    caughtBy: `${columns} > a page on somebody else's site`,
  },
  {
    name: "a suppressed domain does not cover what is below it",
    file: "src/records/exchange/suppress-list.ts",
    find: 'return parts.some((_, at) => domains.has(parts.slice(at).join(".")));',
    replace: 'return domains.has(parts.join("."));',
    caughtBy: `${rows} > whole domains and what is below them`,
  },
  {
    name: "a line of a card is folded in the middle of a character",
    file: "src/records/exchange/vcard.ts",
    find: "const size = Buffer.byteLength(char);",
    replace: "const size = char.length;",
    caughtBy: `${cards} > no line is longer than 75 bytes`,
  },
];

const inNumbers: readonly Sabotage[] = [
  {
    name: "a record that has another address is found by the old one",
    file: "src/records/adapters/sqlite/write-records.ts",
    find: "for (const element of elementsOf(indexedOf(kind, json))) dropElement.run(...element, key);",
    replace: "",
    caughtBy: `${index} > a domain, place or address has all who have it`,
  },
  {
    name: "a tag with a comma falls apart on its way out and in",
    file: "src/records/exchange/export-rows.ts",
    find: 'tags.length === 1 && tags[0]!.includes(",") ? `${tags[0]!};` : tags.join("; ");',
    replace: 'tags.join("; ");',
    caughtBy: `${rows} > tags come back as they were`,
  },
  {
    name: "tags of a cell are one",
    file: "src/records/exchange/read-company.ts",
    find: 'const areTags = field === "tag" && !/[;|\\n]/.test(text);',
    replace: 'const areTags = field === "" && !/[;|\\n]/.test(text);',
    caughtBy: `${columns} > becomes fields as the ledger stores them`,
  },
];

export const recordsIndexSabotages: readonly Sabotage[] = [...inIndex, ...inExchange, ...inNumbers];
