import type { Command } from "../../frame/command.ts";
import { openReaderOf } from "../../frame/node-context.ts";

export const ledgerStatus: Command = {
  needs: "settings",
  examples: [
    { line: "forager ledger status", summary: "what this node has, and has not uploaded yet" },
  ],
  details: [
    "Exits 1 if something needs attention: a torn journal, quarantined, stranded or lost data, or\n" +
      "something in the bucket that the last sync could not use.",
  ],

  async run(context) {
    const { out } = context;
    await using node = await openReaderOf(context);
    const status = await node.ledger.status();
    const { cuts, faults } = status;
    const shown = { ...status, cuts: cuts.length, faults: faults.join("; ") || "none" };
    const rows = Object.entries(shown).map(([name, value]) => ({
      name,
      value: value ?? (name === "lostCheckpoint" ? "none" : "not measured"),
    }));
    out.result(status, (layout) =>
      layout.table(rows, [
        { title: "what", value: ({ name }) => name },
        { title: "value", value: ({ value }) => String(value), isNeverCut: true },
      ]),
    );
    const { quarantined, stranded, lost, lostCheckpoint } = status;
    const needsCare = quarantined + stranded + lost + cuts.length + faults.length;
    return needsCare > 0 || lostCheckpoint !== null ? "failed" : undefined;
  },
};
