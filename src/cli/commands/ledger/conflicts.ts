import type { Command } from "../../command.ts";
import { emptyPageText, listPageOptions, readListPage, rowsOfPage } from "../../list-page.ts";
import { openReaderOf } from "../../node-context.ts";
import { createRecordNames } from "../records/record-names.ts";
import { conflictColumns } from "./field-columns.ts";

export const ledgerConflicts: Command = {
  needs: "settings",
  options: listPageOptions("all"),
  examples: [
    { line: "forager ledger conflicts", summary: "concurrent writes that were overwritten" },
  ],
  details: ["`forager ledger restore TARGET DATAGRAM` writes a lost value anew."],

  async run(context) {
    const { out, flags } = context;
    const page = readListPage(flags, "all");
    await using node = await openReaderOf(context);
    const conflicts = await node.ledger.conflicts();
    const names = createRecordNames(node);
    await names.learn(conflicts.map(({ target }) => target));
    await out.list(rowsOfPage(conflicts, page).rows, {
      columns: conflictColumns(names.nameOf),
      empty: emptyPageText(page, "no conflicts"),
    });
  },
};
