import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Unrendered } from "../../crawl/adapters/browser/browser-fetcher.ts";
import type { HttpFetcherOptions } from "../../crawl/adapters/http/http-fetcher.ts";
import type { Fetcher } from "../../crawl/index.ts";

export interface OpenFetcherOptions {
  readonly version: string;
  /** A mailbox or a page of the operator, for the owners of sites. */
  readonly contact: string;
  /** Private networks that may be visited. */
  readonly allowPrivateNetworks?: readonly string[];
  readonly clock: Clock;
  /** Absent: pages are not rendered. */
  readonly browser?: BrowserUse;
  /** Replaces the system's name resolution. */
  readonly resolve?: NonNullable<HttpFetcherOptions["resolve"]>;
}

export interface BrowserUse {
  /** auto: render pages that are empty without their scripts, if there is a browser. */
  readonly mode: "off" | "auto" | "always";
  readonly executable: string | undefined;
  readonly log: Logger;
}

/**
 * Fetches with `contact` in the User-Agent: over HTTP, and with a browser if a page has to be
 * rendered.
 */
export async function openFetcher(options: OpenFetcherOptions): Promise<Fetcher> {
  const { version, contact, allowPrivateNetworks = [], clock, browser, resolve } = options;
  const { robotsToken, userAgentOf } = await import("../../crawl/index.ts");
  const userAgent = userAgentOf({ token: robotsToken, version, contact });
  const { createHttpFetcher } = await import("../../crawl/adapters/http/http-fetcher.ts");
  const http = createHttpFetcher({
    userAgent,
    allowPrivateNetworks,
    clock,
    ...(resolve && { resolve }),
  });
  return browser && browser.mode !== "off" ? rendering(http, userAgent, clock, browser) : http;
}

/**
 * The parts of a page are fetched at the pace of its host, so loading takes longer than for a
 * single page.
 */
const settleMs = 15_000;

async function rendering(
  http: Fetcher,
  userAgent: string,
  clock: Clock,
  { mode, executable, log }: BrowserUse,
): Promise<Fetcher> {
  const { needsScripts, textOf } = await import("../../crawl/index.ts");
  const { createBrowserFetcher } = await import("../../crawl/adapters/browser/browser-fetcher.ts");
  let isMissing = false;

  /** If rendering fails, the page without its scripts is still usable. */
  function onUnrendered({ code, message }: Unrendered): "as_it_came" | "failed" {
    const isOurs = code === "browser_missing" || code === "browser_driver_missing";
    if (isOurs && mode === "always") return "failed";
    if (!isOurs)
      log.debug("a page could not be rendered and is used without its scripts", {
        reason: message,
      });
    else if (!isMissing) {
      isMissing = true;
      log.warn("pages that need scripts cannot be read", {
        reason: message,
        setting: "crawl.browser",
      });
    }
    return "as_it_came";
  }

  const fetcher = createBrowserFetcher({
    http,
    userAgent,
    executable,
    clock,
    settleMs,
    onUnrendered,
    isNeeded: (found) => mode === "always" || (!isMissing && needsScripts(textOf(found).text)),
  });
  return {
    fetch: (request) => fetcher.fetch(request),
    async [Symbol.asyncDispose]() {
      await fetcher[Symbol.asyncDispose]();
      await http[Symbol.asyncDispose]();
    },
  };
}
