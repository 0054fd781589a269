import type { Command } from "../../frame/command.ts";
import {
  emptyPageText,
  listPageOptions,
  readListPage,
  rowsOfPage,
} from "../../terminal/list-page.ts";
import { openReaderOf } from "../../frame/node-context.ts";
import { readConflicts } from "../../../node/index.ts";
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
    const names = createRecordNames(node);
    async function* rows() {
      for await (const conflicts of readConflicts(node.ledger)) {
        await names.learn(conflicts.map(({ target }) => target));
        yield* conflicts;
      }
    }
    await out.list(rowsOfPage(rows(), page).rows, {
      columns: conflictColumns(names.nameOf),
      empty: emptyPageText(page, "no conflicts"),
    });
  },
};
