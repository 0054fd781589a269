/**
 * Fetcher that lets a browser run a page's scripts before its text is taken.
 *
 * The browser has no network of its own: every name it could look up leads nowhere, and whatever a
 * page asks for is fetched by the HTTP fetcher and handed in. So addresses are judged, bytes counted,
 * certificates checked, redirects limited and requests asked for (`beforeRequest`) in one place, and
 * a page cannot reach by script what it could not reach by a link. Always:
 * - one browser, and a fresh context per fetch, closed at its end: no page sees anything of another;
 * - pictures, films and fonts are not loaded, nor anything that is not a GET;
 * - a browser that crashed is started again, for the same page, once.
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
  /** Does all fetching. Not closed with this one. */
  readonly http: Fetcher;
  readonly userAgent: string;
  /** Which pages are rendered; the others are given as they came. Default: all. */
  readonly isNeeded?: (found: FetchFound) => boolean;
  /** Scripts, styles and data that one page may load, default 100. */
  readonly partsMax?: number;
  /** How long a page that is loaded may still change itself, default 2,000. */
  readonly settleMs?: number;
  readonly clock?: Clock;
  /** Asked when a page could not be rendered: whether it is taken as it came. Default: it has failed. */
  readonly onUnrendered?: (why: Unrendered) => "as_it_came" | "failed";
}

export interface Unrendered {
  /** Of the failure, or of the error: `browser_missing`, `browser_driver_missing`. */
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

  /** Once more in a new browser, when the first one is gone. */
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
