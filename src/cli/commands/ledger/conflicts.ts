import type { Command } from "../../frame/command.ts";
import {
  emptyPageText,
  listPageOptions,
  readListPage,
  rowsOfPage,
} from "../../terminal/list-page.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { createRecordNames } from "../company/parts/record-names.ts";
import { conflictColumns } from "./field-columns.ts";

export const ledgerConflicts: Command = {
  needs: "settings",
  options: listPageOptions("all"),
  examples: [
    { line: "forager ledger conflicts", summary: "concurrent writes that were overwritten" },
  ],
  details: ["`forager ledger restore TARGET DATAGRAM` writes a lost value again."],

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
