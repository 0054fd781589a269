import { findChromium } from "../../scripts/services/chromium.ts";
import {
  createBrowserFetcher,
  type BrowserFetcherOptions,
} from "../../src/crawl/adapters/browser/browser-fetcher.ts";
import { createHttpFetcher } from "../../src/crawl/adapters/http/http-fetcher.ts";
import { userAgentOf, type Fetcher } from "../../src/crawl/index.ts";

/** A browser that may see 127.0.0.1 and nothing else that is private. */
export async function openBrowserFetcher(
  more: Pick<BrowserFetcherOptions, "isNeeded" | "settleMs"> = {},
): Promise<Fetcher> {
  const { path } = await findChromium(() => {});
  const userAgent = userAgentOf({ token: "forager", version: "1.0", contact: "ops@example.org" });
  const http = createHttpFetcher({ userAgent, allowPrivateNetworks: ["127.0.0.1"] });
  const fetcher = createBrowserFetcher({
    http,
    userAgent,
    executable: path,
    settleMs: 400,
    ...more,
  });
  return {
    fetch: (request) => fetcher.fetch(request),
    async [Symbol.asyncDispose]() {
      await fetcher[Symbol.asyncDispose]();
      await http[Symbol.asyncDispose]();
    },
  };
}
