import { openLedgerIn } from "../../../app/index.ts";
import { countOf } from "../queue/count-words.ts";
import type { Command } from "../../command.ts";

export const ledgerVerify: Command = {
  needs: "settings",
  examples: [{ line: "forager ledger verify", summary: "read everything, check every checksum" }],
  details: [
    "The digest is the same on every node that knows the same. Damage ends it with an error that\n" +
      "names the file and what to do.",
  ],

  async run({ paths, log, out }) {
    await using ledger = await openLedgerIn({ paths, log, isReader: true });
    const digest = await ledger.digest();
    const { node, checkpoint, datagramsSinceCheckpoint, cuts, stranded } = ledger.status();
    const result = { node, digest, checkpoint, datagramsSinceCheckpoint, cuts, stranded };
    const tail = cuts.length > 0 ? "; a torn tail will be cut at the next write" : "";
    out.result(
      result,
      `checkpoint ${checkpoint} and ${countOf(datagramsSinceCheckpoint, "datagram")} are sound${tail}\n${digest}`,
    );
    if (stranded > 0) return "failed";
  },
};
