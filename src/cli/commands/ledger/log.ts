import type { Datagram } from "../../../ledger/index.ts";
import { readLog } from "../../../node/index.ts";
import type { Command } from "../../command.ts";
import { openReaderOf } from "../../node-context.ts";
import { parseCount, textFlag } from "../../flags.ts";
import { datagramColumns } from "./field-columns.ts";

export const ledgerLog: Command = {
  needs: "settings",
  options: [
    { flag: "--target", value: "target", summary: "only of this one" },
    { flag: "--field", value: "field", summary: "only of this one" },
    { flag: "--limit", value: "count", summary: "number of lines to show", default: "100" },
  ],
  examples: [
    { line: "forager ledger log --limit 20", summary: "what came last" },
    { line: "forager ledger log --target company/1a2b", summary: "who wrote what of a company" },
  ],
  details: [
    "What a checkpoint covers is not in the journal any more; `ledger show --at` reads it.",
  ],

  async run(context) {
    const { flags, out } = context;
    const limit = parseCount("limit", textFlag(flags, "limit") ?? "100");
    const [target, field] = [textFlag(flags, "target"), textFlag(flags, "field")];
    await using node = await openReaderOf(context);
    let found: readonly Datagram[] = [];
    for await (const page of readLog(node.ledger)) {
      const more = page
        .filter((one) => target === undefined || one.target === target)
        .filter((one) => field === undefined || one.field === field);
      found = [...found, ...more].slice(-limit);
    }
    await out.list(found, {
      columns: datagramColumns,
      empty: "nothing matches, or a checkpoint covers it: see `forager ledger show TARGET`",
    });
  },
};
