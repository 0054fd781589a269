import { asUsage } from "../../../base/usage-error.ts";
import type { NodeReadApi } from "../../../node/index.ts";
import type { Company, Person, RecordKind, RecordQuery } from "../../../records/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { filterOptions, pageOptions, readFilters, readPage } from "./parts/filter-options.ts";
import { emptyPageText, readListPage, type ListPage } from "../../terminal/list-page.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { columnsOf, linksOf, recordOf } from "./parts/record-columns.ts";
import { createRecordNames } from "./parts/record-names.ts";

const searchCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  arguments: [{ name: "word", summary: "beginnings of words, in any order", isRepeated: true }],
  options: [...filterOptions(kind), ...pageOptions],
  examples: [
    { line: `forager ${kind} search floor austin`, summary: "both words, in any order" },
    { line: `forager ${kind} search muller`, summary: "finds Müller too" },
    {
      line: `forager ${kind} search berg --has email --json`,
      summary: "JSON is { rows, next }; next is null on the last page",
    },
  ],
  details: [
    "Searches names, domains, addresses, categories, tags, notes and descriptions. Records with every word\n" +
      "in the name come first. Exits 1 if nothing was found.",
  ],

  run: (context) => printPage(context, { kind, words: context.args.join(" ") }),
});

const listCommand = (kind: RecordKind): Command => ({
  needs: "settings",
  options: [...filterOptions(kind), ...pageOptions],
  examples: [
    { line: `forager ${kind} list --tag vip`, summary: "by name" },
    { line: `forager ${kind} list --missing email --sort changed`, summary: "newest first" },
    { line: `forager ${kind} list --limit 200 --json`, summary: "JSON is { rows, next }" },
  ],

  async run(context) {
    await printPage(context, { kind });
  },
});

async function printPage(
  context: SettingsContext,
  asked: Pick<RecordQuery, "kind" | "words">,
): Promise<"failed" | void> {
  const { flags, out, clock, signal } = context;
  const query = { ...asked, ...readPage(flags), filters: readFilters(flags, clock.nowMs()) };
  await using reader = await openReaderOf(context);
  const names = createRecordNames(reader);
  const columns = columnsOf(asked.kind, names);
  if (flags["all"] === true) {
    const all = allRecords(reader.records, query, signal, (found) => names.learn(linksIn(found)));
    const count = await asUsage(() => out.list(all, { columns }));
    if (count > 0) return undefined;
    out.note(await emptyText(context, reader.records, asked.kind));
    return asked.words !== undefined ? "failed" : undefined;
  }
  const page = readListPage(flags, query.limit);
  const { rows, next } = await asUsage(() => readPageNumber(reader.records, query, page, signal));
  const found = rows.map(recordOf);
  await names.learn(linksIn(found));
  const why = found.length > 0 ? "" : await emptyText(context, reader.records, asked.kind);
  await out.list(found, {
    columns,
    empty: emptyPageText(page, why),
    member: { name: "rows", rest: () => ({ next: next ?? null }) },
  });
  if (next !== undefined) {
    out.note(`more results: add --all, --page ${page.page + 1}, or --after ${next}`);
  }
  if (found.length === 0 && asked.words !== undefined) return "failed";
}

/** The index has no page numbers, so the preceding pages are skipped one by one. */
async function readPageNumber(
  records: Pick<NodeReadApi["records"], "search">,
  query: RecordQuery,
  { page }: ListPage,
  signal: AbortSignal,
): ReturnType<typeof records.search> {
  let found = await records.search(query);
  for (let at = 1; at < page; at += 1) {
    signal.throwIfAborted();
    const { next: after } = found;
    if (after === undefined) return { rows: [], next: undefined };
    found = await records.search({ ...query, after });
  }
  return found;
}

/** Lists do not show the links of companies. */
const linksIn = (found: readonly (Company | Person)[]) =>
  found.flatMap((record) => ("people" in record ? [] : linksOf(record)));

/** Reads page by page, so memory use does not depend on their number. */
async function* allRecords(
  records: Pick<NodeReadApi["records"], "search">,
  query: RecordQuery,
  signal: AbortSignal,
  onPage: (found: readonly (Company | Person)[]) => Promise<void>,
) {
  let { after } = query;
  do {
    signal.throwIfAborted();
    const page = await records.search({ ...query, ...(after !== undefined && { after }) });
    const found = page.rows.map(recordOf);
    await onPage(found);
    yield* found;
    after = page.next;
  } while (after !== undefined);
}

const plurals: Readonly<Record<RecordKind, string>> = { company: "companies", person: "people" };

/**
 * The reason for an empty list: there are no records at all (perhaps the folder is wrong), or none
 * matches.
 */
async function emptyText(
  { flags, paths }: SettingsContext,
  records: Pick<NodeReadApi["records"], "search">,
  kind: RecordKind,
): Promise<string> {
  const { rows } = await records.search({ kind, limit: 1 });
  if (rows.length === 0) {
    const more = kind === "company" ? "; `forager import companies FILE` adds some" : "";
    return `there are no ${plurals[kind]} in ${paths.resolve()}${more}`;
  }
  const country = flags["country"];
  const isName = typeof country === "string" && !/^[a-z]{2}$/i.test(country);
  return `no ${plurals[kind]} match${isName ? "; --country takes two letters, such as DE or US" : ""}`;
}

export const companySearch = searchCommand("company");
export const personSearch = searchCommand("person");
export const companyList = listCommand("company");
export const personList = listCommand("person");
