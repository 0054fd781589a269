import { BlockList, isIP } from "node:net";

export interface OwnHosts {
  /** The host that the server is configured to listen on. */
  readonly listenHost: string;
  /** The address that this connection was made to. */
  readonly localAddress: string | undefined;
  /** More host names of this server. */
  readonly names: readonly string[];
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Whether a Host header names this server. A web page can make its own host name resolve to our
 * address (DNS rebinding), and the browser then lets it read our answers; but it sends that name.
 * So only known names are accepted. A request without the header does not come from a browser.
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

/** Normalised: `Example.org.` is `example.org`, `::ffff:10.0.0.1` is `10.0.0.1`. */
function bare(name: string): string {
  const lower = name
    .trim()
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^::ffff:(?=\d+\.)/, "");
  return isIP(lower) === 6 ? new URL(`http://[${lower}]`).hostname.slice(1, -1) : lower;
}
