import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";
import { textFlag } from "../../options/flags.ts";
import { datagramColumns } from "./field-columns.ts";

export const ledgerQuarantine: Command = {
  needs: "settings",
  options: [
    {
      flag: "--restamp",
      value: "datagram",
      summary: "write it again with the current time, drop the old one",
    },
  ],
  examples: [
    { line: "forager ledger quarantine", summary: "writes with timestamps in the future" },
    {
      line: "forager ledger quarantine --restamp NODE/SESSION/NUMBER",
      summary: "accept one of them now",
    },
  ],

  async run(context) {
    const { flags, out } = context;
    const dot = textFlag(flags, "restamp");
    if (dot === undefined) {
      await using reader = await openReaderOf(context);
      await out.list(await reader.ledger.quarantine(), {
        columns: datagramColumns,
        empty: "nothing is in quarantine",
      });
      return;
    }
    await using node = await openNodeOf(context);
    const { datagrams } = await asUsage(() => node.ledger.restamp(dot));
    const count = datagrams.length;
    out.result({ dot, written: count }, `${dot} was dropped, ${count} datagram written as of now`);
  },
};
