import { openLedgerIn } from "../../../app/index.ts";
import { asUsage } from "../../../base/usage-error.ts";
import type { Command } from "../../command.ts";
import { textFlag } from "../../flags.ts";
import { datagramColumns } from "./field-columns.ts";

export const ledgerQuarantine: Command = {
  needs: "settings",
  options: [
    { flag: "--restamp", value: "datagram", summary: "write it anew as of now, drop the old one" },
  ],
  examples: [
    { line: "forager ledger quarantine", summary: "what is ahead of its time, and waits" },
    {
      line: "forager ledger quarantine --restamp NODE/SESSION/NUMBER",
      summary: "do not wait for that time",
    },
  ],

  async run({ paths, log, flags, out }) {
    const dot = textFlag(flags, "restamp");
    await using ledger = await openLedgerIn({ paths, log, isReader: dot === undefined });
    if (dot === undefined) {
      await out.list(ledger.quarantine(), { columns: datagramColumns });
      return;
    }
    const { datagrams } = await asUsage(() => ledger.restamp(dot));
    const count = datagrams.length;
    out.result({ dot, written: count }, `${dot} was dropped, ${count} datagram written as of now`);
  },
};
