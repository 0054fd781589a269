import { BlockList, isIP } from "node:net";
import type { Client } from "./access.ts";

/** The parts of a connection and its headers that say where a request comes from. */
export interface RequestSource {
  readonly socket:
    | { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean | undefined }
    | undefined;
  readonly header: (name: string) => string | undefined;
  /**
   * The request arrived at the additional port on 127.0.0.1 that the server opens for commands of
   * its machine.
   */
  readonly isOwnPort: boolean;
}

export interface RequestClient extends Client {
  /** The transport is encrypted: to us, or to a proxy that we trust to report it. */
  readonly isSecure: boolean;
  /** A trusted proxy did not report who sent the request. */
  readonly isNameless: boolean;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Determines where requests come from. `X-Forwarded-For` and `X-Forwarded-Proto` count only if the
 * connection comes from one of `proxies`; other senders could write anything. A request through a
 * proxy is never local, whatever its headers say: commands of this machine have a port of their
 * own.
 */
export function createClientReader(
  proxies: readonly string[],
): (source: RequestSource) => RequestClient {
  // prettier-ignore
  const trusted = new BlockList();
  for (const proxy of proxies) addProxy(trusted, proxy);
  return ({ socket, header, isOwnPort }) => {
    const peer = plain(socket?.remoteAddress ?? "");
    const forwarded = header("x-forwarded-for");
    const isProxied = !isOwnPort && isIn(trusted, peer);
    const agent = (header("user-agent") ?? "").slice(0, 200);
    return {
      address: isProxied ? (lastUntrusted(forwarded, trusted) ?? peer) : peer,
      isLocal: isIn(loopback, peer) && !isProxied && forwarded === undefined && header("forwarded") === undefined, // prettier-ignore
      isNameless: isProxied && forwarded === undefined,
      isSecure: socket?.encrypted === true || (isProxied && header("x-forwarded-proto")?.trim() === "https"), // prettier-ignore
      agent,
    };
  };
}

/**
 * Each proxy appends the address it saw. Everything before the last address that is not a trusted
 * proxy may be forged.
 */
function lastUntrusted(forwarded: string | undefined, trusted: BlockList): string | undefined {
  for (const text of (forwarded ?? "").slice(0, 2_000).split(",").toReversed()) {
    const address = plain(text.trim());
    if (isIP(address) === 0) return undefined;
    if (!isIn(trusted, address)) return address;
  }
  return undefined;
}

function addProxy(list: BlockList, text: string): void {
  const [address = "", bits] = text.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

const isIn = (list: BlockList, address: string) =>
  isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** Converts an IPv4 address on an IPv6 socket. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");
