import type { Clock } from "../base/clock.ts";
import type { HttpFetcherOptions } from "../crawl/adapters/http/http-fetcher.ts";
import type { Fetcher } from "../crawl/index.ts";

export interface OpenFetcherOptions {
  readonly version: string;
  /** A mailbox or a page of whoever runs this, for the owners of sites. */
  readonly contact: string;
  /** Networks that may be visited although they are not public. */
  readonly allowAddresses?: readonly string[];
  readonly clock: Clock;
  /** Instead of the machine's own look-up of names. */
  readonly resolve?: NonNullable<HttpFetcherOptions["resolve"]>;
}

/** Fetches over HTTP in the name of `contact`. */
export async function openFetcher(options: OpenFetcherOptions): Promise<Fetcher> {
  const { version, contact, allowAddresses = [], clock, resolve } = options;
  const { robotsToken, userAgentOf } = await import("../crawl/index.ts");
  const userAgent = userAgentOf({ token: robotsToken, version, contact });
  const { createHttpFetcher } = await import("../crawl/adapters/http/http-fetcher.ts");
  return createHttpFetcher({ userAgent, allowAddresses, clock, ...(resolve && { resolve }) });
}
