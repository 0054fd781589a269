import type { Command } from "../../frame/command.ts";
import { openReaderOf } from "../../frame/node-context.ts";

export const nodeShow: Command = {
  needs: "settings",
  examples: [{ line: "forager node show", summary: "the id and name of this node" }],
  details: ["The id is random and kept in the data folder. The label is the host's name."],

  async run(context) {
    const { out } = context;
    await using reader = await openReaderOf(context);
    const { node, label, highWater, clockOffsetMs } = await reader.ledger.status();
    out.result({ node, label, highWater, clockOffsetMs }, `${node} (${label})`);
  },
};
