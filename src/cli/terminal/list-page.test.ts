import { expect, test } from "vitest";
import { emptyPageText, moreRowsText, readListPage, rowsOfPage } from "./list-page.ts";

const pageOf = async (count: number, ...page: Parameters<typeof readListPage>) => {
  const rows = Array.from({ length: count }, (_, at) => at + 1);
  const paged = rowsOfPage(rows, readListPage(...page));
  const found: number[] = [];
  for await (const row of paged.rows) found.push(row);
  return [found, paged.hasMore()];
};

test("a list has pages of a size, and all of it on request", async () => {
  expect(await pageOf(5, {}, 2)).toEqual([[1, 2], true]);
  expect(await pageOf(5, { page: "3" }, 2)).toEqual([[5], false]);
  expect(await pageOf(4, { page: "2" }, 2)).toEqual([[3, 4], false]);
  expect(await pageOf(5, { page: "4" }, 2)).toEqual([[], false]);
  expect(await pageOf(5, { limit: "3", page: "2" }, 2)).toEqual([[4, 5], false]);
  expect(await pageOf(5, { all: true }, 2)).toEqual([[1, 2, 3, 4, 5], false]);
  expect(await pageOf(5, {}, "all")).toEqual([[1, 2, 3, 4, 5], false]);
  expect((await pageOf(60, { page: "2" }, "all"))[0]).toHaveLength(10);
  expect(moreRowsText(readListPage({ page: "2" }, 2))).toBe("more rows: add --page 3, or --all");
  expect(emptyPageText(readListPage({ page: "9" }, 2), "none")).toContain("page 9 is empty");
});

test("no page but a whole number from 1, and none with --all", () => {
  for (const page of ["0", "-1", "1.5", "x", ""]) {
    expect(() => readListPage({ page }, 2)).toThrow("--page takes a whole number from 1");
  }
  expect(() => readListPage({ all: true, page: "2" }, 2)).toThrow("leave out --limit and --page");
});
