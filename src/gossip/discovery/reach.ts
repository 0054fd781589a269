import { BlockList, isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { formatAddress, isLoopback, parseAddress } from "../address.ts";
import { addressesMax } from "./discovery.ts";

export type Interfaces = ReturnType<typeof networkInterfaces>;

/** Which addresses lead from this machine to others, and back. */
export interface Reach {
  /** Addresses at which others can reach us, best first. */
  readonly own: readonly string[];
  /** Whether an address that was received can be another node's. */
  readonly accepts: (address: string) => boolean;
}

export interface ReachOptions {
  /** The address that our socket is bound to. */
  readonly bound: string;
  readonly interfaces?: Interfaces;
}

/**
 * Networks inside one machine, made by Docker and similar programs. Their addresses are the same on
 * every machine: an announced one would lead its reader to a container of its own.
 */
const isInner = (name: string) =>
  /^(?:docker|br-[0-9a-f]{12}|veth|virbr|vmnet|vboxnet|cni|flannel|cali|podman|lxc|lxd|kube)/.test(
    name,
  );

/** Loopback, link-local (useless without the name of an interface), unspecified, multicast. */
const nowhere = blocks([
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["0.0.0.0", 8],
  ["224.0.0.0", 3],
  ["::", 127], // unspecified and loopback
  ["fe80::", 10],
  ["ff00::", 8],
]);

export function reachOf({ bound, interfaces = networkInterfaces() }: ReachOptions): Reach {
  // A socket that is bound to loopback reaches only loopback addresses.
  if (isLoopback(bound)) return { own: [bound], accepts: isLoopback };
  const cards = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.map((address) => ({ ...address, isInner: isInner(name) })),
  );
  const inner = blocks(
    cards.filter(({ isInner, internal }) => isInner && !internal).map(({ cidr }) => subnet(cidr)),
  );
  const isSomewhere = (host: string) => !has(nowhere, host) && !has(inner, host);
  const { host: boundHost = "", port = 0 } = parseAddress(bound) ?? {};
  const isSpoken = (host: string) => boundHost.includes(":") || isIPv4(host);
  const isBoundTo = (host: string) => [host, "::", "0.0.0.0"].includes(boundHost);
  const hosts = cards
    .filter(({ internal, address }) => !internal && isBoundTo(address))
    .map(({ address }) => address)
    .filter((host) => isSpoken(host) && isSomewhere(host))
    .toSorted((a, b) => isIP(a) - isIP(b));
  return {
    own: hosts.slice(0, addressesMax).map((host) => formatAddress({ host, port })),
    accepts: (address) => {
      const host = parseAddress(address)?.host;
      return host !== undefined && isSpoken(host) && isSomewhere(host);
    },
  };
}

type Subnet = readonly [network: string, prefix: number];

function subnet(cidr: string | null): Subnet {
  const [network = "", prefix = "0"] = (cidr ?? "").split("/");
  return [network, Number(prefix)];
}

function blocks(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets)
    if (isIP(network)) list.addSubnet(network, prefix, isIPv4(network) ? "ipv4" : "ipv6");
  return list;
}

const has = (list: BlockList, host: string) => list.check(host, isIPv4(host) ? "ipv4" : "ipv6");
