import { BlockList, isIP } from "node:net";

export interface OwnHosts {
  /** The host that the server was told to listen on. */
  readonly listenHost: string;
  /** The address that this connection was made to. */
  readonly localAddress: string | undefined;
  /** More names that lead here. */
  readonly names: readonly string[];
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether a Host header means this server. A web page can have a name of its own resolve to our
 * address (DNS rebinding); the browser then lets it read what we answer, but it sends that name.
 * So names are refused unless they are known. A request without the header is not a browser's.
 */
export function isOwnHost(header: string | undefined, own: OwnHosts): boolean {
  if (header === undefined) return true;
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(header) ?? [];
  const host = bare(bracketed ?? plain ?? "");
  if (host === "") return false;
  if (host === "localhost" || host.endsWith(".localhost") || isLoopback(host)) return true;
  return [own.listenHost, own.localAddress ?? "", ...own.names].some((name) => bare(name) === host);
}

function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 6 ? "ipv6" : "ipv4");
}

/** In one spelling: `Example.org.` is `example.org`, `::ffff:10.0.0.1` is `10.0.0.1`. */
function bare(name: string): string {
  const lower = name
    .trim()
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^::ffff:(?=\d+\.)/, "");
  return isIP(lower) === 6 ? new URL(`http://[${lower}]`).hostname.slice(1, -1) : lower;
}
