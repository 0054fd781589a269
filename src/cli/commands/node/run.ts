import type { Command } from "../../command.ts";
import { usageError } from "../../usage-error.ts";
import { bucketOption } from "../ledger/bucket-option.ts";
import { hasBucket } from "../ledger/forget.ts";
import { countOf } from "../queue/count-words.ts";
import { openNode } from "./open-node.ts";

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
    "Without gossip.keys only nodes of this machine are heard: `forager node key` makes a key.",
  ],

  async run(context) {
    const { out, settings, signal } = context;
    const { on, keys, peers } = settings.gossip;
    const isGossip = on === "yes" && (keys ?? peers) !== undefined;
    if (!isGossip && !hasBucket(context)) throw nobody();
    await using node = await openNode(context);
    await node.start();
    out.note(`${node.touch.ledger.node()} stays in touch until it is stopped`);
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([stopped, node.gone]);
    await node.stop();
    const known = node.touch.ledger.vector().values();
    const datagrams = [...known].reduce((sum, one) => sum + one, 0);
    out.result({ datagrams }, `stopped, with ${countOf(datagrams, "datagram")} known`);
  },
};

const nobody = () =>
  usageError(
    "there is nobody to be in touch with: set gossip.keys (`forager node key` makes one), " +
      "gossip.peers or bucket.url",
  );
