import { isOwnHost } from "../observe/index.ts";
import { ProblemError } from "./problems.ts";

/** The parts of a request that decide if it is allowed. */
export interface RequestOrigin {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  /** The local address of the connection; undefined in tests without a socket. */
  readonly localAddress: string | undefined;
  /** As it is in the first line of the request; undefined in tests without a socket. */
  readonly target?: string | undefined;
}

export interface PerimeterOptions {
  readonly listenHost: string;
  /** Names of this server in addition to addresses and `localhost`. */
  readonly names: readonly string[];
  /** HOST or HOST:PORT that people use; a proxy may send another Host. */
  readonly publicHost?: string | undefined;
}

const safeMethods = new Set(["GET", "HEAD"]);

/**
 * Refuses requests that a web page of another origin caused, before anything else is examined:
 * - a Host that is not ours: a page whose own name resolves to our address (DNS rebinding);
 * - a write from another origin, whatever its content type: browsers send `Sec-Fetch-Site`, and
 *   those that do not send `Origin`;
 * - a read of the API from another origin. Following a link to a page of the dashboard is allowed.
 * No response has a CORS header, so no other origin can read one.
 */
export function checkOrigin(request: RequestOrigin, options: PerimeterOptions): void {
  const { method, path, header, localAddress, target } = request;
  const host = header("host");
  // A target such as `http://HOST/path` is sent to proxies: its host would count, not the header.
  const isOwn = isOwnHost(host, { ...options, localAddress }) && target?.startsWith("/") !== false;
  if (!isOwn) {
    throw new ProblemError(
      421,
      "wrong_host",
      "this server does not serve the requested host name: use its address, or add the " +
        "name to the setting serve.names",
    );
  }
  const site = header("sec-fetch-site");
  const isOurs = site === "same-origin" || site === "none";
  if (!safeMethods.has(method)) {
    const origin = header("origin");
    const from = origin === undefined ? undefined : hostOf(origin);
    const isOwnOrigin = from !== undefined && (from === host?.toLowerCase() || from === options.publicHost); // prettier-ignore
    // A browser that sends neither header looks like a program, but a program has no cookie.
    const isProgram = site === undefined && origin === undefined && header("cookie") === undefined;
    const passes = site === undefined ? isOwnOrigin || isProgram : isOurs && origin !== "null";
    if (!passes || (origin !== undefined && !isOwnOrigin)) throw crossSite();
    return;
  }
  if (site === undefined || isOurs) return;
  const isNavigation = header("sec-fetch-mode") === "navigate" && header("sec-fetch-dest") === "document"; // prettier-ignore
  if (path.startsWith("/api/") || !isNavigation) throw crossSite();
}

const crossSite = () =>
  new ProblemError(
    403,
    "cross_site",
    "a page of another origin asked for this: open the dashboard itself, or use a program with the token",
  );

function hostOf(origin: string): string | undefined {
  const [, host] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return host?.toLowerCase();
}

/**
 * Load nothing from other origins, run only our own scripts, allow no framing. If the map has
 * pictures of another server, images may come from there.
 */
const contentPolicy = (imageOrigin: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${imageOrigin === undefined ? "" : ` ${imageOrigin}`}`,
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Sent with every response. `tileUrl` is the address of the map pictures of another server. */
export const securityHeaders = (tileUrl?: string): Readonly<Record<string, string>> => ({
  "content-security-policy": contentPolicy(tileUrl && new URL(tileUrl).origin),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "x-robots-tag": "noindex, nofollow",
});
