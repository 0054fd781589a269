/**
 * Fetcher that runs a page's scripts in a browser before it takes the text.
 *
 * The browser has no network access of its own: no host name resolves, and everything that a page
 * requests is fetched by the HTTP fetcher and passed to the browser. So addresses are checked,
 * bytes counted, certificates verified, redirects limited and requests approved (`beforeRequest`)
 * in one place, and scripts of a page cannot reach what a link could not reach. Invariants:
 * - one browser, and a fresh context per fetch, closed at its end: pages share no state;
 * - images, videos and fonts are not loaded, nor anything that is not a GET;
 * - after a crash the browser is started again for the same page, once.
 */
import { AppError } from "../../../base/app-error.ts";
import { systemClock, type Clock } from "../../../base/clock.ts";
import {
  fetchLimits,
  type FailureReason,
  type Fetcher,
  type FetchOutcome,
  type FetchRequest,
  type FetchFound,
} from "../../fetcher.ts";
import { createBrowserKeeper, type BrowserKeeperOptions } from "./browser-keeper.ts";
import { renderPage } from "./render-page.ts";

export interface BrowserFetcherOptions extends BrowserKeeperOptions {
  /** Does all fetching. It is not closed with this fetcher. */
  readonly http: Fetcher;
  readonly userAgent: string;
  /** Which pages are rendered; the others are returned as received. Default: all. */
  readonly isNeeded?: (found: FetchFound) => boolean;
  /** Scripts, styles and data that one page may load, default 100. */
  readonly partsMax?: number;
  /** How long a loaded page may still change itself, default 2,000. */
  readonly settleMs?: number;
  readonly clock?: Clock;
  /**
   * Called if a page could not be rendered: whether to use it as received. Default: it has failed.
   */
  readonly onUnrendered?: (why: Unrendered) => "as_it_came" | "failed";
}

export interface Unrendered {
  /** The code of the failure or error: `browser_missing`, `browser_driver_missing`. */
  readonly code: string;
  readonly message: string;
}

export function createBrowserFetcher(options: BrowserFetcherOptions): Fetcher {
  const { http, userAgent, clock = systemClock, partsMax = 100, settleMs = 2_000 } = options;
  const keeper = createBrowserKeeper(options);

  async function render(
    found: FetchFound,
    request: FetchRequest,
    signal: AbortSignal,
  ): Promise<FetchOutcome> {
    const browser = await keeper.browser();
    const context = await browser.newContext({
      userAgent,
      serviceWorkers: "block",
      acceptDownloads: false,
    });
    const close = () => context.close().catch(() => {});
    const onAbort = () => void close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const sizes = { partsMax, settleMs };
      const rendered = await renderPage(context, { http, found, request, signal, ...sizes });
      if (!rendered) return failedAs(found, "too_large", "its scripts made it too large");
      const { body, url, wireBytes } = rendered;
      const contentType = "text/html; charset=utf-8";
      return {
        ...found,
        url,
        contentType,
        body,
        isRendered: true,
        bytes: { wire: wireBytes, unpacked: body.length },
      };
    } finally {
      signal.removeEventListener("abort", onAbort);
      await close();
    }
  }

  /** Tries again in a new browser if the first one has crashed. */
  async function renderTwice(found: FetchFound, request: FetchRequest, timeUp: AbortSignal) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await render(found, request, timeUp);
      } catch (error) {
        const { signal, url } = request;
        if (signal?.aborted) throw aborted(url, signal.reason);
        if (error instanceof AppError) throw error;
        if (timeUp.aborted) return failedAs(found, "timeout", "took too long to render");
        const [message = ""] = (error as Error).message.split("\n");
        if (attempt === 2) return failedAs(found, "browser", message);
      }
    }
  }

  return {
    async fetch(request) {
      const { totalMs } = { ...fetchLimits, ...request.limits };
      const startMs = clock.monotonicMs();
      const found = await http.fetch(request);
      if (found.kind !== "found" || request.method === "HEAD" || request.onBody) return found;
      if (!/html/i.test(found.contentType ?? "html")) return found;
      if (options.isNeeded && !options.isNeeded(found)) return found;
      const { signal } = request;
      const control = new AbortController();
      const onAbort = () => control.abort();
      signal?.addEventListener("abort", onAbort, { once: true });
      const timer = clock.setTimer(totalMs - (clock.monotonicMs() - startMs), onAbort);
      const isKept = (why: Unrendered) => options.onUnrendered?.(why) === "as_it_came";
      try {
        const outcome = await renderTwice(found, request, control.signal);
        if (outcome.kind !== "failed") return outcome;
        const { reason: code, message } = outcome;
        return isKept({ code, message }) ? found : outcome;
      } catch (error) {
        const isOurs = error instanceof AppError && error.kind !== "aborted";
        if (!isOurs || !isKept(error)) throw error;
        return found;
      } finally {
        timer.cancel();
        signal?.removeEventListener("abort", onAbort);
      }
    },
    [Symbol.asyncDispose]: () => keeper.close(),
  };
}

const failedAs = (
  { url, hops }: FetchFound,
  reason: FailureReason,
  what: string,
): FetchOutcome => ({
  kind: "failed",
  reason,
  message: `${url}: ${what}`,
  url,
  hops,
});

const aborted = (url: string, cause: unknown) =>
  new AppError("aborted", "fetch_aborted", `the fetch of ${url} was ended early`, { cause });
