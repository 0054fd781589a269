import { isIP } from "node:net";
import { formatAddress } from "../address.ts";
import type { FoundPeer } from "../gossip.ts";
import { isName } from "../replica.ts";
import { addressesMax } from "./discovery.ts";

/** An announcement from the network, which any machine may have sent: nothing in it is trusted. */
export interface DiscoveryHint {
  readonly port?: unknown;
  readonly txt?: unknown;
  readonly addresses?: unknown;
  /** The address that the packet came from. */
  readonly from?: unknown;
}

export interface HintRules {
  /** The hash of our cluster's name. */
  readonly cluster: string;
  /** Our own id, because we receive our own announcements too. */
  readonly node: string;
}

/** The service type of announcements: `_forager._udp.local`. */
export const serviceType = "forager";

/** The announced node if it belongs to our fleet, else an empty list. */
export function readHint(hint: DiscoveryHint, { cluster, node }: HintRules): readonly FoundPeer[] {
  const { port, txt, addresses, from } = hint;
  if (typeof txt !== "object" || txt === null) return [];
  const record = txt as Readonly<Record<string, unknown>>;
  if (record["v"] !== "1" || record["cluster"] !== cluster) return [];
  const id = record["node"];
  if (typeof id !== "string" || !isName(id) || id === node) return [];
  if (!Number.isInteger(port) || (port as number) < 1 || (port as number) > 65_535) return [];
  // The packet's own sender first: at least one packet has come that way.
  const hosts = [from, ...(Array.isArray(addresses) ? (addresses as unknown[]) : [])]
    .slice(0, addressesMax)
    .filter((host): host is string => typeof host === "string" && isIP(host) !== 0);
  const found = [...new Set(hosts)];
  return found.map((host) => ({
    node: id,
    address: formatAddress({ host, port: port as number }),
  }));
}
