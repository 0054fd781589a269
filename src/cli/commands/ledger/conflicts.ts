import { openLedgerIn } from "../../../app/index.ts";
import type { Command } from "../../command.ts";
import { conflictColumns } from "./field-columns.ts";

export const ledgerConflicts: Command = {
  needs: "settings",
  examples: [{ line: "forager ledger conflicts", summary: "writes that lost without being seen" }],
  details: ["`forager ledger restore TARGET DATAGRAM` writes a lost value anew."],

  async run({ paths, log, out }) {
    await using ledger = await openLedgerIn({ paths, log, isReader: true });
    await out.list(await ledger.conflicts(), { columns: conflictColumns });
  },
};
