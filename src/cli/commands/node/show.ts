import { openLedgerIn } from "../../../app/index.ts";
import type { Command } from "../../command.ts";

export const nodeShow: Command = {
  needs: "settings",
  examples: [{ line: "forager node show", summary: "who this node is" }],
  details: ["The id is random and kept in the data folder. The label is the host's name."],

  async run({ paths, log, out }) {
    await using ledger = await openLedgerIn({ paths, log, isReader: true });
    const { node, label, highWater, clockOffsetMs } = ledger.status();
    out.result({ node, label, highWater, clockOffsetMs }, `${node} (${label})`);
  },
};
