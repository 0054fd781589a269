import { openIdleNode } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { bucketOption, fleetOf } from "../../options/bucket-option.ts";
import type { Command } from "../../frame/command.ts";
import { untilStopped } from "../../frame/until-stopped.ts";

export const nodeRun: Command = {
  needs: "settings",
  keepsLog: true,
  options: [bucketOption],
  examples: [
    { line: "forager node run", summary: "gossip and sync with the bucket, until Ctrl-C" },
    {
      line: "forager node run --bucket s3://fleet",
      summary: "with the bucket, whatever bucket.url says",
    },
  ],
  details: [
    "Sends writes of this node to other nodes and to the bucket, receives theirs, and renders\n" +
      "files. Other commands may write to this data folder at the same time. `forager up` does the same\n" +
      "and runs workers too.",
    "Changed gossip.keys are applied while it runs, at once on SIGHUP; other settings after a restart.",
    "Without gossip.keys the data folder generates its own key, and no other machine can join:\n" +
      "`forager node key` generates one for a fleet.",
  ],

  async run(context) {
    const { out, loaded, reload, signal } = context;
    await using node = await openIdleNode({ ...fleetOf(context), loaded, reload });
    await node.start();
    out.note(`${await node.node()} runs until it is stopped`);
    await Promise.race([untilStopped(signal), node.gone]);
    const datagrams = await node.datagrams();
    await node.stop();
    out.result({ datagrams }, `stopped, with ${countOf(datagrams, "datagram")}`);
    return "stopped";
  },
};
