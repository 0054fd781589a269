import { docsPage } from "../../base/files/docs-page.ts";
import type { Paths, Settings } from "../../config/index.ts";

/**
 * Which key gossip uses:
 * - "settings": `gossip.keys`, which the nodes of a fleet share;
 * - "own": the key that the data folder generated, so no other machine can join;
 * - "off": gossip does not run, because it is turned off or there are no peers to reach.
 */
export type GossipKeySource = "settings" | "own" | "off";

export interface GossipKeyQuestion {
  readonly gossip: Settings["gossip"];
  readonly hasBucket: boolean;
}

export function gossipKeySource({ gossip, hasBucket }: GossipKeyQuestion): GossipKeySource {
  const { on, keys, peers } = gossip;
  if (on === "no" || (!hasBucket && keys === undefined && peers === undefined)) return "off";
  return keys === undefined ? "own" : "settings";
}

/**
 * True if the settings expect contact with other machines, which is not possible with the folder's
 * own key: peers are configured, or gossip is bound to an address that other machines can reach.
 */
export const expectsOtherMachines = ({ peers, host }: Settings["gossip"]): boolean =>
  peers !== undefined || (host !== undefined && !/^(?:127\.|::1$)/u.test(host));

export const ownKeyAdvice = `other machines cannot join; set gossip.keys on every machine, see ${docsPage("gossip.md")}`;

export const ownKeyFile = (paths: Pick<Paths, "resolve">): string =>
  paths.resolve("node", "gossip.key");
