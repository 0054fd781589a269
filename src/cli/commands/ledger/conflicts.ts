import type { Command } from "../../command.ts";
import { openReaderOf } from "../../node-context.ts";
import { createRecordNames } from "../records/record-names.ts";
import { conflictColumns } from "./field-columns.ts";

export const ledgerConflicts: Command = {
  needs: "settings",
  examples: [
    { line: "forager ledger conflicts", summary: "concurrent writes that were overwritten" },
  ],
  details: ["`forager ledger restore TARGET DATAGRAM` writes a lost value anew."],

  async run(context) {
    const { out } = context;
    await using node = await openReaderOf(context);
    const conflicts = await node.ledger.conflicts();
    const names = createRecordNames(node);
    await names.learn(conflicts.map(({ target }) => target));
    await out.list(conflicts, { columns: conflictColumns(names.nameOf), empty: "no conflicts" });
  },
};
