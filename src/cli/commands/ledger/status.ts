import { openLedgerIn } from "../../../app/index.ts";
import type { Command } from "../../command.ts";

export const ledgerStatus: Command = {
  needs: "settings",
  examples: [
    { line: "forager ledger status", summary: "what this node knows, and has not shared" },
  ],
  details: ["Exits 1 when something needs a person: a torn journal, quarantined or stranded data."],

  async run({ paths, log, out }) {
    await using ledger = await openLedgerIn({ paths, log, isReader: true });
    const status = ledger.status();
    const rows = Object.entries({ ...status, cuts: status.cuts.length }).map(([name, value]) => ({
      name,
      value: value ?? "not measured",
    }));
    out.result(status, (layout) =>
      layout.table(rows, [
        { title: "what", value: ({ name }) => name },
        { title: "value", value: ({ value }) => String(value), isNeverCut: true },
      ]),
    );
    const needsCare = status.quarantined + status.stranded + status.cuts.length;
    return needsCare > 0 ? "failed" : undefined;
  },
};
