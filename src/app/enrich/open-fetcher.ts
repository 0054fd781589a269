import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Unrendered } from "../../crawl/adapters/browser/browser-fetcher.ts";
import type { HttpFetcherOptions } from "../../crawl/adapters/http/http-fetcher.ts";
import type { Fetcher } from "../../crawl/index.ts";

export interface OpenFetcherOptions {
  readonly version: string;
  /** A mailbox or a page of whoever runs this, for the owners of sites. */
  readonly contact: string;
  /** Networks that may be visited although they are not public. */
  readonly allowPrivateNetworks?: readonly string[];
  readonly clock: Clock;
  /** Absent: no page is rendered. */
  readonly browser?: BrowserUse;
  /** Instead of the machine's own look-up of names. */
  readonly resolve?: NonNullable<HttpFetcherOptions["resolve"]>;
}

export interface BrowserUse {
  /** auto: pages that are empty without their scripts, where there is a browser. */
  readonly mode: "off" | "auto" | "always";
  readonly executable: string | undefined;
  readonly log: Logger;
}

/** Fetches in the name of `contact`: over HTTP, and through a browser what is to be rendered. */
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

/** Parts of a page are asked for at the pace of its host: longer than a page alone would take. */
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

  /** A page without what its scripts would add is still the site's word. */
  function onUnrendered({ code, message }: Unrendered): "as_it_came" | "failed" {
    const isOurs = code === "browser_missing" || code === "browser_driver_missing";
    if (isOurs && mode === "always") return "failed";
    if (!isOurs) log.debug("a page was taken as it came", { reason: message });
    else if (!isMissing) {
      isMissing = true;
      log.warn("pages that are empty without their scripts stay empty", {
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
