import { BlockList, isIP } from "node:net";
import type { Client } from "./access.ts";

/** What of a connection and its headers says where a request comes from. */
export interface RequestSource {
  readonly socket:
    | { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean | undefined }
    | undefined;
  readonly header: (name: string) => string | undefined;
  /** It came to the port of 127.0.0.1 that the server has for commands of its machine beside its own. */
  readonly isOwnPort: boolean;
}

export interface RequestClient extends Client {
  /** It travels encrypted: to us, or to a proxy that we trust to say so. */
  readonly isSecure: boolean;
  /** A named proxy did not say who sent the request. */
  readonly isNameless: boolean;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Reads where requests come from. `X-Forwarded-For` and `X-Forwarded-Proto` count only if the
 * connection comes from one of `proxies`; anybody else could write what they like. What a proxy passes
 * on is never local, whether it says so or not: commands of this machine have a port of their own.
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

/** Each proxy adds the address it saw at the end: what stands before the first stranger may be invented. */
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

/** An address of version 4 on a socket of version 6. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");
