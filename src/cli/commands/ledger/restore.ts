import { asUsage } from "../../../base/usage-error.ts";
import { auditedRecords } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { sourceOf, sourceOption } from "../../options/source-option.ts";

export const ledgerRestore: Command = {
  needs: "settings",
  arguments: [
    { name: "target", summary: "such as company/1a2b" },
    { name: "datagram", summary: "the overwritten write, as `ledger conflicts` shows it" },
  ],
  options: [sourceOption],
  examples: [
    {
      line: "forager ledger restore company/1a2b NODE/SESSION/NUMBER",
      summary: "make the overwritten value the current one",
    },
  ],

  async run(context) {
    const { args, flags, out } = context;
    const [target = "", dot = ""] = args;
    const source = sourceOf({ flags });
    await using node = await openNodeOf(context);
    await using _state = await context.recordState(() => auditedRecords(node.ledger, [target]));
    const { datagrams } = await asUsage(() => node.ledger.restore({ target, dot, source }));
    const [field] = datagrams.map((one) => one.field);
    out.result({ target, dot, field }, `${field ?? "nothing"} of ${target} was restored`);
  },
};
