import { openIdleNode } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { bucketOption, fleetOf } from "../../bucket-option.ts";
import type { Command } from "../../command.ts";
import { untilStopped } from "../../until-stopped.ts";

export const nodeRun: Command = {
  needs: "settings",
  keepsLog: true,
  options: [bucketOption],
  examples: [
    { line: "forager node run", summary: "stay in touch with the fleet, until Ctrl-C" },
    {
      line: "forager node run --bucket s3://fleet",
      summary: "with the bucket, whatever bucket.url says",
    },
  ],
  details: [
    "`forager work` does the same beside its work. Tells other nodes at once what is written here,\n" +
      "takes what they write, keeps ledger and bucket together, and renders files of what comes.\n" +
      "Other commands may write to this data folder meanwhile: what they write is told, too.",
    "Changed gossip.keys are followed while it runs, at once on SIGHUP; other settings after a restart.",
    "Without gossip.keys the data folder makes a key of its own, and no other machine can join:\n" +
      "`forager node key` makes one for a fleet.",
  ],

  async run(context) {
    const { out, loaded, reload, signal } = context;
    await using node = await openIdleNode({ ...fleetOf(context), loaded, reload });
    await node.start();
    out.note(`${await node.node()} stays in touch until it is stopped`);
    await Promise.race([untilStopped(signal), node.gone]);
    const datagrams = await node.datagrams();
    await node.stop();
    out.result({ datagrams }, `stopped, with ${countOf(datagrams, "datagram")} known`);
    return "stopped";
  },
};
