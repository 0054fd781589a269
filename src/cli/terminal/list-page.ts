import { usageError } from "../../base/usage-error.ts";
import type { Flags, OptionSpec } from "../frame/command.ts";
import { parseCount, textFlag } from "../options/flags.ts";

/** The flags of every list: the number of rows, the page, or all rows. */
export const listPageOptions = (limit: number | "all"): readonly OptionSpec[] => [
  { flag: "--limit", value: "count", summary: "rows per page", default: String(limit) },
  pageOption,
  allOption,
];

export const pageOption: OptionSpec = {
  flag: "--page",
  value: "number",
  summary: "the number of the page, from 1",
};
export const allOption: OptionSpec = { flag: "--all", summary: "all rows, without a limit" };

/** The default size of a page, for a list that shows everything by default. */
export const pageSize = 50;

export interface ListPage {
  /** Infinity: all rows. */
  readonly limit: number;
  /** Counts from 1. */
  readonly page: number;
  /** The number of rows before this page. */
  readonly skip: number;
}

export function readListPage(flags: Flags, limit: number | "all"): ListPage {
  const [given, pageText] = [textFlag(flags, "limit"), textFlag(flags, "page")];
  const isAll = flags["all"] === true || (given === undefined ? limit === "all" : given === "all");
  if (flags["all"] === true && (given !== undefined || pageText !== undefined)) {
    throw usageError("--all shows every row: leave out --limit and --page");
  }
  if (pageText === undefined) {
    return { limit: isAll ? Infinity : sizeOf(given, limit), page: 1, skip: 0 };
  }
  const page = parseCount("page", pageText);
  const size = sizeOf(given === "all" ? undefined : given, limit);
  return { limit: size, page, skip: (page - 1) * size };
}

const sizeOf = (given: string | undefined, limit: number | "all"): number =>
  given === undefined ? (limit === "all" ? pageSize : limit) : parseCount("limit", given);

/** Selects the rows per page from all rows. `hasMore` is known after they were read. */
export function rowsOfPage<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  { limit, skip }: ListPage,
): { readonly rows: AsyncIterable<Row>; readonly hasMore: () => boolean } {
  let hasMore = false;
  async function* read() {
    let at = 0;
    for await (const row of rows) {
      at += 1;
      if (at <= skip) continue;
      if (at > skip + limit) {
        hasMore = true;
        return;
      }
      yield row;
    }
  }
  return { rows: read(), hasMore: () => hasMore };
}

/** The text below a page that is not the last one. */
export const moreRowsText = ({ page }: ListPage): string =>
  `more rows: add --page ${page + 1}, or --all`;

/** The text for a page after the last one. */
export const emptyPageText = ({ page }: ListPage, empty: string): string =>
  page > 1 ? `page ${page} is empty: there are fewer rows` : empty;
