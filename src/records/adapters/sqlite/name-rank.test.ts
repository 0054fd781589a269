import { expect, test } from "vitest";
import { silentLogger } from "../../../base/log/logger.ts";
import { company } from "../../testing/sample-records.ts";
import { openSqliteRecordIndex } from "./sqlite-record-index.ts";

test("names stand as SQLite sorts them, also those of letters beyond the first 65,536", () => {
  using index = openSqliteRecordIndex({ file: ":memory:", log: silentLogger });
  // By UTF-16 units the second sorts before the first; by bytes, as in SQLite, it sorts after it.
  const names = ["Zeta", "\u{fa0e}", "\u{10330}"];
  index.update({ put: [...names].reverse().map((name, at) => company(`${at}`, { name })) });
  const query = { kind: "company", sort: "name", limit: 1 } as const;
  const found: string[] = [];
  for (let after: string | undefined, page = 0; page < names.length; page++) {
    const { rows, next } = index.search({ ...query, ...(after !== undefined && { after }) });
    for (const row of rows) if (row.kind === "company") found.push(row.company.name);
    after = next;
  }
  expect(found).toEqual(names);
});
