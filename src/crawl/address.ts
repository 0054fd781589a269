/**
 * The addresses that a crawler may connect to: those of the public internet. A page, a redirect or
 * a DNS record must not lead it to machines in its own network. Lists: the IANA registries of
 * special-purpose IPv4 and IPv6 addresses. An IPv6 address that contains an IPv4 address is judged
 * by that.
 */
import { BlockList, isIP } from "node:net";
import { AppError } from "../base/app-error.ts";

const notPublic4 = [
  "0.0.0.0/8", // this host
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier-grade NAT, and the metadata service of some clouds
  "127.0.0.0/8",
  "168.63.129.16/32", // a public address at which a cloud serves its own machines
  "169.254.0.0/16", // link-local, and the metadata service of most clouds
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
const notPublic6 = [
  "::/96", // unspecified, loopback, and the oldest form of IPv4 addresses
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23", // protocol assignments, including Teredo
  "2001:db8::/32",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

export interface AddressGuard {
  /** Whether a connection may be made. False for text that is not an address. */
  isAllowed(address: string): boolean;
}

export interface AddressGuardOptions {
  /** Private addresses or networks ("127.0.0.1", "10.1.0.0/16") that are allowed. */
  readonly allow?: readonly string[];
}

export function createAddressGuard({ allow = [] }: AddressGuardOptions = {}): AddressGuard {
  const allowed = listOf(allow);
  const isAllowed = (address: string): boolean => {
    const bare = address.replace(/%.*$/, "");
    const family = isIP(bare);
    if (family === 0) return false;
    if (allowed.check(bare, family === 4 ? "ipv4" : "ipv6")) return true;
    if (family === 4) return !privateAddresses.check(bare, "ipv4");
    const words = ipv6Words(bare);
    const inner = innerIpv4(words);
    return inner === undefined ? !privateAddresses.check(bare, "ipv6") : isAllowed(inner);
  };
  return { isAllowed };
}

const privateAddresses = listOf([...notPublic4, ...notPublic6]);

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (family === 0 || !Number.isInteger(length) || length < 0 || length > bits) {
      throw new AppError(
        "invalid",
        "bad_network",
        `"${network}" is not an address or network: write it as 10.1.0.0/16 or fd00::/8`,
      );
    }
    list.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** Mapped (::ffff:a.b.c.d), translated (64:ff9b::/96) and 6to4 (2002::/16) addresses. */
function innerIpv4(words: readonly number[]): string | undefined {
  const startsWith = (...start: readonly number[]) =>
    start.every((word, index) => words[index] === word);
  if (startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0x64, 0xff9b, 0, 0, 0, 0)) {
    return dotted(words[6]!, words[7]!);
  }
  if (startsWith(0, 0, 0, 0, 0xffff, 0)) return dotted(words[6]!, words[7]!);
  return words[0] === 0x2002 ? dotted(words[1]!, words[2]!) : undefined;
}

const dotted = (high: number, low: number): string =>
  [high >> 8, high & 255, low >> 8, low & 255].join(".");

/** The eight words of an address that isIP accepted. */
function ipv6Words(address: string): readonly number[] {
  const text = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = "", tail] = text.split("::");
  const words = (part: string) =>
    part === "" ? [] : part.split(":").map((one) => parseInt(one, 16));
  const first = words(head);
  if (tail === undefined) return first;
  const last = words(tail);
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
