import { openLedgerIn } from "../../../app/index.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../command.ts";
import { sourceOf, sourceOption } from "../../source-option.ts";

export const ledgerRestore: Command = {
  needs: "settings",
  arguments: [
    { name: "target", summary: "such as company/1a2b" },
    { name: "datagram", summary: "the lost one, as `ledger conflicts` shows it" },
  ],
  options: [sourceOption],
  examples: [
    {
      line: "forager ledger restore company/1a2b NODE/SESSION/NUMBER",
      summary: "the lost value is shown again",
    },
  ],

  async run({ args, flags, paths, log, out }) {
    const [target = "", dot = ""] = args;
    const source = sourceOf({ flags });
    await using ledger = await openLedgerIn({ paths, log });
    const { datagrams } = await asUsage(() => ledger.restore({ target, dot, source }));
    const [field] = datagrams.map((one) => one.field);
    out.result({ target, dot, field }, `${field ?? "nothing"} of ${target} was restored`);
  },
};
