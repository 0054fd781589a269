import { systemRandom } from "../../../base/random.ts";
import { makeKey } from "../../../gossip/index.ts";
import type { Command } from "../../command.ts";

export const nodeKey: Command = {
  needs: "nothing",
  examples: [
    {
      line: "forager node key > /etc/forager/gossip.key",
      summary: 'then on every node: gossip.keys = { file = "/etc/forager/gossip.key" }',
    },
  ],
  details: [
    "All nodes of a fleet need the same key. To change it without a break: put the new one behind\n" +
      "the old one on every node, then in front of it, then take the old one away.",
  ],

  async run({ out }) {
    const key = makeKey(systemRandom);
    out.result({ key }, key);
  },
};
